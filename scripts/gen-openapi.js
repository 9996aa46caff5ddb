#!/usr/bin/env node
// Writes docs/openapi.json, which describes the HTTP API, from its routes and from the types of its answers, and the types the page
// is checked by; with --check only compares. Run after the build, whose types it needs no program of.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { rolldown } from "rolldown";
import { written } from "./generated.js";
import { schemasOf } from "./type-schema.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const { defs } = schemasOf("src/http/answers.ts", "ApiAnswers", (name) => `#/components/schemas/${name}`);
const records = JSON.parse(readFileSync(join(root, "docs/schema/record.v1.schema.json"), "utf8"));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const document = (await api()).getOpenAPI31Document({
  openapi: "3.1.0",
  info: {
    title: "Daybook",
    version,
    description:
      "What `daybook serve` answers, on this machine alone. Secrets are hidden; nothing is ever written to a source.",
  },
  servers: [{ url: "/api" }],
});
const { $schema: _, $id: __, $defs: parts = {}, ...record } = records;
const twice = Object.keys(defs).filter((name) => Object.hasOwn(parts, name));
if (twice.length > 0) throw new Error(`answers and records both have ${twice.join(", ")}: name those of answers anew`);
const schemas = {
  ...defs,
  LogRecord: inDocument(record),
  ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, inDocument(part)])),
};
const sorted = Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
const text = `${JSON.stringify({ ...document, components: { schemas: inDocument(sorted) } }, null, 2)}\n`;
written("docs/openapi.json", text, "gen-openapi.js");
const types = astToString(await openapiTS(JSON.parse(text), { defaultNonNullable: false }));
written(
  "web/src/api/types.d.ts",
  `// Made by scripts/gen-openapi.js from docs/openapi.json.\n${types}`,
  "gen-openapi.js",
);

/** The routes alone, bundled for this script: nothing is asked, so nothing need be there to answer. */
async function api() {
  const made = await rolldown({
    input: join(root, "src/http/app.ts"),
    platform: "node",
    external: [/^node:/, /^@?[a-z]/],
  });
  const { output } = await made.generate({ format: "esm", codeSplitting: false });
  // Beside the program: modules find what stands beside them by where they are.
  const file = join(root, "dist/openapi.mjs");
  writeFileSync(file, output[0].code);
  const { buildApi } = await import(pathToFileURL(file).href);
  rmSync(file);
  return buildApi({ daybook: null, now: () => 0, version, sample: false, pageToken: "", changes: null });
}

/** References lead into the document, wherever they led before. */
function inDocument(value) {
  if (Array.isArray(value)) return value.map(inDocument);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, key === "$ref" ? refOf(part) : inDocument(part)]),
  );
}

function refOf(ref) {
  if (ref === "urn:agent-daybook:schema:record:v1") return "#/components/schemas/LogRecord";
  return ref.replace("#/$defs/", "#/components/schemas/");
}
