#!/usr/bin/env node
// Learns which sentences of a final reply say that something is left open: `npm run learn`. Reads learn/, writes the
// share right from author to author (each author's sentences judged by a model that has seen none of them) into
// docs/report.md, and data/said-open.json from all. Deterministic: the order of sentences is shuffled by a fixed seed.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadBundled } from "./bundled.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const { partsOf, BUCKETS } = await loadBundled("src/answers/report/loose/said-model.ts");

const ROUNDS = 12;
const RATE = 0.2;
/** Weight decay per round. */
const DECAY = 1e-3;

/** `author-1.jsonl`: one object a line; `*.txt`: `@language`, then `+ open` and `- not open`. */
function sentencesIn(file) {
  const text = readFileSync(join(root, "learn", file), "utf8");
  if (file.endsWith(".jsonl"))
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .map(({ t, y, l }) => ({ text: t, open: y === 1, language: l }));
  let language = "en";
  return text.split("\n").flatMap((line) => {
    if (line.startsWith("@")) language = line.slice(1).trim();
    return /^[+-] /.test(line) ? [{ text: line.slice(2), open: line.startsWith("+"), language }] : [];
  });
}

function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function learn(sentences) {
  const weights = new Float64Array(BUCKETS);
  const squares = new Float64Array(BUCKETS).fill(1e-2);
  let bias = 0;
  const next = random(7);
  const order = sentences.map((_, i) => i);
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(next() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    for (const at of order) {
      const { parts, open } = sentences[at];
      const scale = 1 / Math.sqrt(parts.length);
      let sum = bias;
      for (const part of parts) sum += weights[part] * scale;
      const error = 1 / (1 + Math.exp(-sum)) - Number(open);
      bias -= 0.01 * error;
      for (const part of parts) {
        const slope = error * scale + DECAY * weights[part];
        squares[part] += slope * slope;
        weights[part] -= (RATE * slope) / Math.sqrt(squares[part]);
      }
    }
  }
  return { bias, weights };
}

function oddsOf({ bias, weights }, parts) {
  return bias + parts.reduce((sum, part) => sum + weights[part], 0) / Math.sqrt(parts.length);
}

function share(part, whole) {
  return `${Math.round((100 * part.length) / Math.max(1, whole.length))} %`;
}

const files = readdirSync(join(root, "learn"))
  .filter((file) => /\.(?:jsonl|txt)$/.test(file))
  .toSorted();
const authors = new Map();
for (const file of files) {
  // Files of one voice are by one hand: they count as one author.
  const author = file.startsWith("voice-") ? "voices" : file.replace(/\..*/, "");
  const list = sentencesIn(file).map((one) => ({ ...one, file, parts: [...partsOf(one.text)] }));
  authors.set(author, [...(authors.get(author) ?? []), ...list]);
}
const all = [...authors.values()].flat();
const table = [
  "| author | sentences | right | of the open ones found | of those found true |",
  "|---|---|---|---|---|",
];
for (const [author, own] of authors) {
  const model = learn(all.filter((one) => !own.includes(one)));
  const judged = own.map((one) => ({ ...one, says: oddsOf(model, one.parts) > 0 }));
  const right = judged.filter(({ says, open }) => says === open);
  const both = judged.filter(({ says, open }) => says && open);
  const open = judged.filter((one) => one.open);
  const languages = new Set(own.map(({ language }) => language)).size;
  const said = judged.filter(({ says }) => says);
  const size = `${own.length.toLocaleString("en")}${languages > 1 ? ` in ${languages} languages` : ""}, ${open.length} open`;
  table.push(`| ${author} | ${size} | ${share(right, judged)} | ${share(both, open)} | ${share(both, said)} |`);
}
console.log(table.join("\n"));
const docs = join(root, "docs/report.md");
const written = readFileSync(docs, "utf8").replace(
  /(<!-- learned -->\n\n)[^]*?(\n\n<!-- end -->)/,
  (_, before, after) => before + table.join("\n") + after,
);
if (written !== readFileSync(docs, "utf8")) writeFileSync(docs, written);
const { bias, weights } = learn(all);
const largest = Math.max(...weights.map(Math.abs));
const step = largest / 127;
const bytes = Int8Array.from(weights, (weight) => Math.round(weight / step));
const stored = {
  about: "Weights of parts of sentences, learned by `npm run learn` from learn/; see docs/report.md.",
  bias: Number(bias.toFixed(4)),
  step: Number(step.toPrecision(6)),
  weights: Buffer.from(bytes.buffer).toString("base64"),
};
const path = join(root, "data/said-open.json");
const text = `${JSON.stringify(stored, null, 1)}\n`;
// Programs that read it while nothing changes are not disturbed.
if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
console.log(`${all.length} sentences, ${bytes.filter((weight) => weight !== 0).length} weights`);
