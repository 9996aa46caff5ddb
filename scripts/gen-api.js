#!/usr/bin/env node
// Copies the programs of examples/api and the list of answers into docs/api.md, so that the page shows code that is
// actually tested; with --check only compares.
import { readFileSync, writeFileSync } from "node:fs";

const page = new URL("../docs/api.md", import.meta.url);
const before = readFileSync(page, "utf8");
const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

const { commands } = JSON.parse(read("docs/schema/answers.v1.schema.json"));
const table = [
  "| command | definition |",
  "|---|---|",
  ...Object.entries(commands).map(([command, { $ref }]) => `| ${nameOf(command)} | \`${$ref.split("/").at(-1)}\` |`),
].join("\n");

const text = before
  .replaceAll(/```js (\S+)\n[^]*?```\n/g, (_, path) => `\`\`\`js ${path}\n${read(path)}\`\`\`\n`)
  .replace(/<!-- commands -->[^]*$/, `<!-- commands -->\n\n${table}\n`);

if (!process.argv.includes("--check")) writeFileSync(page, text);
else if (before !== text) {
  console.error("docs/api.md is out of date: run npm run docs");
  process.exitCode = 1;
}

function nameOf(command) {
  return command === "error" ? "any, on stderr, where it failed" : `\`daybook ${command}\``;
}
