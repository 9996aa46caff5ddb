// Recall: questions with known answers, by their own words and with the wordings an asking agent would add, and questions
// without an answer.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { counted, daybookOf, truthOf } from "./material.js";

const MOST = 3;

export async function measureQuestions(dir) {
  const path = join(dir, "QUESTIONS.json");
  if (!existsSync(path)) return [];
  const questions = JSON.parse(readFileSync(path, "utf8"));
  const home = mkdtempSync(join(tmpdir(), "daybook-quality-"));
  const daybook = daybookOf(dir, truthOf(dir).timezone, home);
  try {
    await daybook.sync();
    const answerable = questions.filter(({ answers }) => answers.length > 0);
    const worded = answerable.filter(({ also, words }) => also !== undefined || words !== undefined);
    const none = questions.filter(({ answers }) => answers.length === 0);
    const rows = [counted("recall among three, own words", await hits(daybook, answerable, () => ({})))];
    if (worded.length > 0)
      rows.push(
        counted(
          "recall among three, with other wordings",
          await hits(daybook, worded, ({ also, words }) => ({ also, words })),
        ),
      );
    let recognised = 0;
    for (const { question } of none) {
      const { answered } = await daybook.recall(question, { limit: MOST });
      if (answered !== true) recognised++;
    }
    rows.push(counted("questions without an answer", { found: recognised, of: none.length }));
    return rows;
  } finally {
    daybook.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function hits(daybook, questions, more) {
  let found = 0;
  for (const one of questions) {
    const { results } = await daybook.recall(one.question, { limit: MOST, ...more(one) });
    if (results.some((result) => one.answers.includes(`${result.session_id}/${result.turn_ref}`))) found++;
  }
  return { found, of: questions.length };
}
