import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { parseRecord, RECORD_TYPES, recordJsonSchema } from "./schema.ts";
import { recordPlaceOf, shapeProblem } from "./shape.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const doc = readFileSync(`${root}docs/log-format.md`, "utf8");
const lines = (/```jsonl\n([\s\S]*?)```/.exec(doc)?.[1] ?? "").trim().split("\n");
const examples = lines.map((line) => JSON.parse(line) as Record<string, unknown>);

interface ObjectSchema {
  required: string[];
  properties: Record<string, unknown>;
}
const published = JSON.parse(readFileSync(`${root}docs/schema/record.v1.schema.json`, "utf8")) as {
  $defs: Record<string, ObjectSchema>;
};

describe("parseRecord", () => {
  it.each(examples.map((e) => [`${String(e["seq"])} ${String(e["type"])}`, e] as const))("accepts %s", (_, example) => {
    const result = parseRecord(example);
    expect(result).toEqual({ ok: true, record: example, notes: [] });
    expect(shapeProblem(example)).toBeNull();
  });

  it("is tested with an example of every record type", () => {
    expect(new Set(examples.map((e) => e["type"]))).toEqual(new Set(RECORD_TYPES));
  });

  it("keeps unknown fields, at every depth, and notes them", () => {
    const value = { ...examples[0], mood: "calm", git: { branch: "main", worktree: "/w" } };
    const result = parseRecord(value);
    expect(result).toMatchObject({ ok: true, record: { mood: "calm", git: { worktree: "/w" } } });
    expect(result.ok && result.notes.map((note) => note.field)).toEqual(["git.worktree", "mood"]);
  });

  it("notes no unknown fields inside a tool's input, which may have any shape", () => {
    const value = { ...examples.find((e) => e["type"] === "tool_started"), input: { deep: { deeper: [{ a: 1 }] } } };
    expect(parseRecord(value)).toMatchObject({ ok: true, notes: [] });
  });

  it.each([
    ["an array", [], ""],
    ["null", null, ""],
    ["another version", { ...examples[0], schema_version: 2 }, "schema_version"],
    ["an unknown type", { ...examples[0], type: "constructor" }, "type"],
    ["a negative seq", { ...examples[0], seq: -1 }, "seq"],
    ["a time without an offset", { ...examples[0], time: "2026-05-11T16:00:00" }, "time"],
    ["a time that no clock shows", { ...examples[0], time: "2026-05-11T25:00:00.000Z" }, "time"],
    ["a header without a session id", { ...examples[0], session_id: undefined }, "session_id"],
    ["an origin that is not an object", { ...examples[0], origin: "line 3" }, "origin"],
    ["line 0", { ...examples[0], origin: { line: 0 } }, "origin.line"],
    ["an unknown author", { ...examples[2], author: "ghost" }, "author"],
    ["fractional tokens", { ...examples[7], input_tokens: 0.5 }, "input_tokens"],
  ])("refuses %s and names the field", (_, value, field) => {
    const result = parseRecord(value);
    expect(result.ok).toBe(false);
    expect(!result.ok && result.problems.map((p) => p.field)).toContain(field);
  });

  it("refuses every type without any one of its required fields, as does shapeProblem", () => {
    for (const example of examples) {
      for (const field of published.$defs[String(example["type"])]?.required ?? []) {
        const { [field]: _, ...rest } = example;
        expect(parseRecord(rest).ok, `${String(example["type"])} without ${field}`).toBe(false);
        expect(shapeProblem(rest), `${String(example["type"])} without ${field}`).not.toBeNull();
      }
    }
  });
});

describe("shapeProblem", () => {
  it("distinguishes a later version and an unknown type from an invalid record", () => {
    expect(shapeProblem({ ...examples[0], schema_version: 2 })?.code).toBe("version_unsupported");
    expect(shapeProblem({ ...examples[0], type: "toString" })?.code).toBe("type_unknown");
    expect(shapeProblem({ ...examples[7], input_tokens: Number.NaN })?.code).toBe("record_invalid");
    expect(shapeProblem({ ...examples[9], models: {} })?.message).toBe("usage_total.models must be a list");
    expect(shapeProblem({ ...examples[10], child: { source: "x" } })?.code).toBe("record_invalid");
    expect(recordPlaceOf({ schema_version: 1, seq: 3, session_id: "s", type: "later" })?.seq).toBe(3);
    expect(recordPlaceOf({ schema_version: 1, seq: 3 })).toBeNull();
  });
});

describe("the published JSON Schema", () => {
  it("is up to date with the schemas in the code", () => {
    expect(published).toEqual(recordJsonSchema());
    execFileSync(process.execPath, [`${root}scripts/gen-schema.js`, "--check"]);
  });

  it("has one definition per record type, which accepts unknown fields and rejects wrong types", () => {
    expect(Object.keys(published.$defs)).toEqual(RECORD_TYPES);
    for (const example of examples) {
      const schema = z.fromJSONSchema(published.$defs[String(example["type"])] as never);
      expect(schema.safeParse(example).success).toBe(true);
      expect(schema.safeParse({ ...example, later: true }).success).toBe(true);
      expect(schema.safeParse({ ...example, seq: "0" }).success).toBe(false);
    }
  });

  it("is described in the format document, field by field", () => {
    for (const [type, schema] of Object.entries(published.$defs)) {
      const section = doc.split(`### \`${type}\`\n`)[1]?.split("\n##")[0] ?? "";
      const envelope = doc.split("## Envelope")[1]?.split("\n## ")[0] ?? "";
      for (const field of Object.keys(schema.properties)) {
        expect(section.includes(`\`${field}\``) || envelope.includes(`\`${field}\``), `${type}.${field}`).toBe(true);
      }
    }
  });
});
