#!/usr/bin/env node
// Writes docs/openapi.json and docs/team-openapi.json, which describe the personal and the team HTTP API, from the
// routes and from the types of the answers, and the TypeScript types that the pages are checked against; with --check
// only compares. Run after a build: it needs dist to exist.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { loadBundled } from "./bundled.js";
import { publishedJson, writeGenerated } from "./generated.js";
import { schemasOf } from "./type-schema.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

await describe({
  answers: ["src/doors/http/answers.ts", "ApiAnswers"],
  routes: ["src/doors/http/app.ts", "buildApi"],
  served: { daybook: null, now: () => 0, version, sample: false, pageToken: "", changes: null },
  title: "Daybook",
  about:
    "What `daybook serve` answers, on this machine alone. Secrets are hidden; nothing is ever written to a source.",
  server: "/api",
  // Answers hold records in full, whatever short forms a log may use.
  records: (await loadBundled("src/record/schema.ts")).recordJsonSchema("full"),
  document: "docs/openapi.json",
  types: "web/src/api/types.d.ts",
});
await describe({
  answers: ["src/doors/http/team/answers.ts", "TeamApiAnswers"],
  routes: ["src/doors/http/team/app.ts", "buildTeamApi"],
  served: { pool: null, zone: null, now: () => 0, failed: () => undefined },
  title: "Daybook for a team",
  about:
    "What `daybook serve --team` answers to whoever has a token of scope `read`. What it takes by push is for `daybook push` alone.",
  server: "/api/team",
  records: {},
  document: "docs/team-openapi.json",
  types: "web/src/team/types.d.ts",
});

async function describe({ answers, routes, served, title, about, server, records, document: path, types: typesPath }) {
  const { defs } = schemasOf(...answers, (name) => `#/components/schemas/${name}`);
  const [input, name] = routes;
  // No request is made, so the services behind the routes may be null.
  const document = (await loadBundled(input))[name](served).getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title, version, description: about },
    servers: [{ url: server }],
  });
  const { $schema: _, $id: id, $defs: parts = {}, ...record } = records;
  const twice = Object.keys(defs).filter((name) => Object.hasOwn(parts, name));
  if (twice.length > 0)
    throw new Error(`answers and records both have ${twice.join(", ")}: name those of answers anew`);
  const schemas = {
    ...defs,
    ...(id === undefined ? {} : { LogRecord: inDocument(record) }),
    ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, inDocument(part)])),
  };
  const sorted = Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const text = publishedJson(path, { ...document, components: { schemas: inDocument(sorted) } });
  writeGenerated(path, text, "gen-openapi.js");
  const types = astToString(await openapiTS(JSON.parse(text), { defaultNonNullable: false }));
  writeGenerated(typesPath, `// Made by scripts/gen-openapi.js from ${path}.\n${types}`, "gen-openapi.js");
}

/** Makes all `$ref`s point into the OpenAPI document. */
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
