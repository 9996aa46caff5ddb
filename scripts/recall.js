#!/usr/bin/env node
// Asks `recall` questions with known answers and counts how often the right turn ranks near the top: `npm run recall`.
// The sessions are those of test/fixtures/month and samples, in one book. `--misses` prints the questions that failed,
// except those of the check sets, which must not be tuned on; `--write` puts the numbers into docs/recall.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Daybook } from "../dist/index.js";

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

const nameOf = ({ session_id, turn_ref }) => `${session_id}/${turn_ref}`;
/** Position of the first right turn; Infinity if there is none. */
function placeOf(names, answers) {
  const at = names.findIndex((name) => answers.includes(name));
  return at === -1 ? Infinity : at;
}

async function measure(questions, isShown) {
  const sum = { answerable: 0, first: 0, three: 0, ten: 0, search: 0, wrongly: 0, none: 0, recognised: 0 };
  for (const { question, keywords, answers } of questions) {
    const answer = await daybook.recall(question, { limit: 10 });
    if (answers.length === 0) {
      sum.none++;
      if (answer.answered !== true) sum.recognised++;
      else if (wantsMisses && isShown) console.log(`  not recognised: ${question}`);
      continue;
    }
    const place = placeOf(answer.results.map(nameOf), answers);
    const found = await daybook.search(keywords, { limit: 50 });
    const plain = placeOf([...new Set(found.map(nameOf))], answers);
    sum.answerable++;
    for (const [name, most] of Object.entries({ first: 1, three: 3, ten: 10 })) if (place < most) sum[name]++;
    if (plain < 3) sum.search++;
    if (answer.answered === false) sum.wrongly++;
    if (wantsMisses && isShown && place >= 3) console.log(`  ${place + 1}: ${question}`);
  }
  return sum;
}

const share = (part, whole) => (whole === 0 ? "–" : `${part} of ${whole} (${Math.round((100 * part) / whole)} %)`);
const lines = [
  "| questions | right turn first | among three | among ten | by `search` with key words, among three | without an answer, recognised | with one, denied |",
  "|---|---|---|---|---|---|---|",
];
try {
  await daybook.sync();
  for (const [name, questions, isShown] of sets) {
    const sum = await measure(questions, isShown);
    const of = (part) => share(part, sum.answerable);
    const cells = [name, of(sum.first), of(sum.three), of(sum.ten), of(sum.search)];
    lines.push(`| ${[...cells, share(sum.recognised, sum.none), of(sum.wrongly)].join(" | ")} |`);
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
