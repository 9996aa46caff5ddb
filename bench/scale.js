/**
 * Writes the tables of docs/scale.md from what `npm run bench:team` measured (.bench/team.json):
 *
 *   npm run bench:team && node bench/scale.js
 *
 * Only what stands between `<!-- NAME -->` and `<!-- /NAME -->` is replaced.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What is assumed of 10,000 developers in three years. Calls and responses a turn were measured in public sessions. */
const DEVELOPERS = 10_000;
const TURNS = DEVELOPERS * 30 * 220 * 3;
const CALLS_A_TURN = 7.1;
const RESPONSES_A_TURN = 5.9;
const SUMS = DEVELOPERS * 3 * 220 * 3;
/** Texts of a session at level `full`, by turn, and their bytes: measured in public sessions. */
const TEXTS_A_TURN = 21.5;
const TEXT_BYTES = 1800;

const root = fileURLToPath(new URL("..", import.meta.url));
const DOCUMENT = `${root}docs/scale.md`;

/**
 * @typedef {{ role: string, question: string, p50: number, p95: number }} Times
 * @typedef {{ developers: number, turns: number, loaded: Record<string, { rows: number, seconds: number }>, bytes: Record<string, number>, times: Times[] }} Result
 */

/** @type {{ results: Result[] }} */
const { results } = JSON.parse(readFileSync(`${root}.bench/team.json`, "utf8"));
const tables = { times: timesTable(results), bytes: bytesTable(results), estimate: estimateTable(results) };
let text = readFileSync(DOCUMENT, "utf8");
for (const [name, rows] of Object.entries(tables)) {
  const between = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`);
  if (!between.test(text)) throw new Error(`${DOCUMENT} has no place for ${name}`);
  text = text.replace(
    between,
    (_, begin, end) => `${begin}${rows.map((row) => `| ${row.join(" | ")} |\n`).join("")}${end}`,
  );
}
writeFileSync(DOCUMENT, text);

/**
 * The median over the questions of a kind, and the slowest 95th percentile among them.
 * @param {Result[]} all
 */
function timesTable(all) {
  const kinds = /** @type {const} */ ([
    ["a developer's own numbers, 90 days", "developer", ", 90 days"],
    ["a lead's team of ten, 28 days", "lead", ", 28 days"],
    ["a lead's team of ten, 90 days", "lead", ", 90 days"],
    ["an auditor's everybody, 28 days", "auditor", ", 28 days"],
    ["an auditor's everybody, 90 days", "auditor", ", 90 days"],
  ]);
  return [
    ["", ...all.map(({ developers }, i) => `${count(developers)}${i === 0 ? " developers" : ""}`)],
    ["---", ...all.map(() => "---")],
    ["turns", ...all.map(({ turns }) => count(turns))],
    ["rows in all", ...all.map(({ loaded }) => count(Object.values(loaded).reduce((sum, { rows }) => sum + rows, 0)))],
    ["tables and indexes", ...all.map(({ bytes }) => size(Object.values(bytes).reduce((sum, one) => sum + one, 0)))],
    ...kinds.map(([title, role, days]) => [`${title}, p50 / p95`, ...all.map((one) => timesOf(one, role, days))]),
  ];
}

function timesOf(/** @type {Result} */ { times }, /** @type {string} */ role, /** @type {string} */ days) {
  const found = times.filter((one) => one.role === role && one.question.endsWith(days));
  const medians = found.map(({ p50 }) => p50).toSorted((a, b) => a - b);
  return `${Math.round(medians[medians.length >> 1] ?? 0)} / ${Math.round(Math.max(...found.map(({ p95 }) => p95)))} ms`;
}

/** Of the largest store; texts are made for small ones only. */
function bytesTable(/** @type {Result[]} */ all) {
  const rows = ["turns", "tool_calls", "usage_responses", "usage_days", "sessions", "details", "texts"].flatMap(
    (table) => {
      const a = bytesARow(all, table);
      const { rows: n, turns } = a ?? { rows: 0, turns: 1 };
      return a === null
        ? []
        : [[`\`${table}\``, count(a.bytes), (n / turns).toPrecision(2), count((a.bytes * n) / turns)]];
    },
  );
  return [["table", "bytes a row, with indexes", "rows a turn", "bytes a turn"], ["---", "---", "---", "---"], ...rows];
}

/** @returns {{ bytes: number, rows: number, turns: number } | null} */
function bytesARow(/** @type {Result[]} */ all, /** @type {string} */ table) {
  const found = all.findLast(({ loaded }) => (loaded[table]?.rows ?? 0) > 0);
  const rows = found?.loaded[table]?.rows ?? 0;
  return found === undefined ? null : { bytes: Math.round((found.bytes[table] ?? 0) / rows), rows, turns: found.turns };
}

function estimateTable(/** @type {Result[]} */ all) {
  const of = (/** @type {string} */ table, /** @type {number} */ rows) =>
    size(rows * (bytesARow(all, table)?.bytes ?? 0));
  const written = bytesARow(all, "texts")?.bytes ?? 0;
  return [
    ["", "rows", "bytes, as measured above"],
    ["---", "---", "---"],
    ["`turns`", big(TURNS), of("turns", TURNS)],
    ["`tool_calls`", big(TURNS * CALLS_A_TURN), of("tool_calls", TURNS * CALLS_A_TURN)],
    ["`usage_responses`", big(TURNS * RESPONSES_A_TURN), of("usage_responses", TURNS * RESPONSES_A_TURN)],
    ["`usage_days`", big(SUMS), of("usage_days", SUMS)],
    ["`details` of turns, level `turns`", big(TURNS), of("details", TURNS)],
    ["`texts`, a request and an answer a turn", big(TURNS * 2), size(TURNS * 2 * written)],
    [
      "`texts`, everything, level `full`",
      big(TURNS * TEXTS_A_TURN),
      `${size(TURNS * TEXTS_A_TURN * TEXT_BYTES)} of text, three to four times that with terms and index`,
    ],
  ];
}

function count(/** @type {number} */ n) {
  return Math.round(n).toLocaleString("en-US");
}

function big(/** @type {number} */ n) {
  return n >= 1e9 ? `${(n / 1e9).toPrecision(3)} G` : `${Math.round(n / 1e6)} M`;
}

function size(/** @type {number} */ bytes) {
  return bytes >= 1e12
    ? `${(bytes / 1e12).toPrecision(2)} TB`
    : bytes >= 1e9
      ? `${count(bytes / 1e9)} GB`
      : `${count(bytes / 1e6)} MB`;
}
