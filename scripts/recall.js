#!/usr/bin/env node
// Asks `recall` questions with known answers and counts how often the right turn ranks near the top: `npm run recall`.
// The sessions are those of test/fixtures/month and samples, in one book. `--misses` prints the questions that failed,
// except those of the check sets, which must not be tuned on; `--write` puts the numbers into docs/recall.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Daybook } from "../dist/index.js";
import { measureQuestions, placeOf } from "./quality/recall.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const month = join(root, "test/fixtures/month");
const questionsIn = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));
const own = questionsIn("test/fixtures/recall/QUESTIONS.json");
const strangers = questionsIn("test/fixtures/recall/STRANGERS.json");
const sets = [
  ["a developer's fortnight, given", questionsIn("test/fixtures/month/QUESTIONS.json"), true],
  ["own, to tune by", own.filter(({ half }) => half === "tuning"), true],
  ["own, to check with", own.filter(({ half }) => half === "check"), false],
  ["strangers', to tune by", strangers.filter(({ half }) => half === "tuning"), true],
  ["strangers', to check with", strangers.filter(({ half }) => half === "check"), false],
];
const wantsMisses = process.argv.includes("--misses");
const home = mkdtempSync(join(tmpdir(), "daybook-recall-"));
const daybook = new Daybook({
  roots: {
    "claude-code": [join(month, "claude"), join(root, "samples/claude-code")],
    codex: [join(month, "codex"), join(root, "samples/codex")],
  },
  book: home,
  timezone: "Europe/Berlin",
  env: {},
  home: "/nowhere",
});

/** What `search` finds with the key words that a hurried person would type. */
async function foundByWords(questions) {
  let found = 0;
  for (const { keywords, answers } of questions) {
    if (answers.length === 0) continue;
    const hits = await daybook.search(keywords, { limit: 50 });
    const turns = [...new Map(hits.map((hit) => [`${hit.session_id}/${hit.turn_ref}`, hit])).values()];
    if (placeOf(turns, answers) < 3) found++;
  }
  return found;
}

/** Prints a question that failed. */
const show = ({ question, answers }, place) =>
  console.log(`  ${answers.length === 0 ? "not recognised" : place + 1}: ${question}`);

const share = (part, whole) => (whole === 0 ? "–" : `${part} of ${whole} (${Math.round((100 * part) / whole)} %)`);
const lines = [
  "| questions | right turn first | among three | among ten | by `search` with key words, among three | without an answer, recognised | called answered, but not found |",
  "|---|---|---|---|---|---|---|",
];
try {
  await daybook.sync();
  for (const [name, questions, isShown] of sets) {
    const sum = await measureQuestions(daybook, questions, undefined, wantsMisses && isShown ? show : undefined);
    const of = (part) => share(part, sum.answerable);
    const cells = [name, of(sum.first), of(sum.three), of(sum.ten), of(await foundByWords(questions))];
    const verdicts = [share(sum.recognised, sum.unanswerable), share(sum.claimed, sum.answerable - sum.three)];
    lines.push(`| ${[...cells, ...verdicts].join(" | ")} |`);
  }
} finally {
  daybook.close();
  rmSync(home, { recursive: true, force: true });
}
console.log(lines.join("\n"));
if (process.argv.includes("--write")) {
  const path = join(root, "docs/recall.md");
  const text = readFileSync(path, "utf8");
  const block = /(<!-- measured -->\n\n)[^]*?(\n\n<!-- end -->)/;
  if (!block.test(text)) throw new Error("docs/recall.md has no place for the numbers");
  writeFileSync(
    path,
    text.replace(block, (_, before, after) => before + lines.join("\n") + after),
  );
}
