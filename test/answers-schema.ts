import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Answers } from "../src/answers/json.ts";

type Json = Record<string, unknown>;

interface Schema {
  commands: Record<string, Json>;
  $defs: Json;
}

const FILE = fileURLToPath(new URL("../docs/schema/answers.v1.schema.json", import.meta.url));
/** The schemas of `--json` output, by command. */
export const schema: Schema = JSON.parse(readFileSync(FILE, "utf8")) as Schema;

/** Forbids fields that the schema does not name. Log records are exempt: they have a schema of their own. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  if (fields["$ref"] === "urn:agent-daybook:schema:record:v1") return {};
  return "properties" in fields && "required" in fields ? { additionalProperties: false, ...fields } : fields;
}

const $defs = closed(schema.$defs) as Json;

/** Where an answer violates the schema of its command. */
export function problemsOf(command: keyof Answers, answer: unknown): string[] {
  const checked = z
    .fromJSONSchema({ ...schema.commands[command], $defs } as z.core.JSONSchema.JSONSchema)
    .safeParse(answer);
  return checked.success ? [] : checked.error.issues.map((issue) => JSON.stringify(issue).slice(0, 600));
}
