#!/usr/bin/env node
// How much of what is true is found, and how much of what is shown is true, per author: `npm run quality [DIR[=AUTHOR] …]
// [--write]`. A directory has the form of test/fixtures/month. `--write` puts the tables into docs/quality.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measureDecisions, measureExchanges } from "./quality/decisions.js";
import { measureEnds } from "./quality/ends.js";
import { materials } from "./quality/material.js";
import { measureQuestions } from "./quality/questions.js";

/** Each measures one material and returns rows: capability, found, of, right, listed. */
const MEASURES = [measureEnds, measureDecisions, measureQuestions];

const words = process.argv.slice(2);
const chosen = materials(words.filter((word) => !word.startsWith("--")));
const rows = [];
for (const material of chosen) {
  for (const measure of MEASURES)
    for (const row of await measure(material.dir)) rows.push({ ...row, text: material.name, ...material });
}
for (const { half, ...row } of await measureExchanges())
  rows.push({ ...row, text: `exchanges, ${half} half`, author: "own", isTuned: true });

const lines = [];
for (const capability of new Set(rows.map((row) => row.capability))) {
  lines.push(`## ${capability[0]?.toUpperCase()}${capability.slice(1)}`, "");
  lines.push(
    "| author | text | a rule was written for it | found of the true | true of the shown |",
    "|---|---|---|---|---|",
  );
  // The author a rule was written for counts last.
  const mine = rows.filter((row) => row.capability === capability);
  for (const { author, text, isTuned, found, of, right, listed } of mine.toSorted(
    (a, b) => Number(a.isTuned) - Number(b.isTuned),
  ))
    lines.push(`| ${author} | ${text} | ${isTuned ? "yes" : "no"} | ${share(found, of)} | ${share(right, listed)} |`);
  lines.push("");
}
const tables = lines.join("\n").trim();
console.log(tables);

if (words.includes("--write")) {
  const path = join(fileURLToPath(new URL("..", import.meta.url)), "docs/quality.md");
  const text = readFileSync(path, "utf8");
  const block = /(<!-- measured -->\n\n)[^]*?(\n\n<!-- end -->)/;
  if (!block.test(text)) throw new Error("docs/quality.md has no place for the tables");
  writeFileSync(
    path,
    text.replace(block, (_, before, after) => before + tables + after),
  );
}

function share(part, whole) {
  if (part === null || whole === null) return "–";
  return whole === 0 ? "none" : `${part} of ${whole} (${Math.round((100 * part) / whole)} %)`;
}
