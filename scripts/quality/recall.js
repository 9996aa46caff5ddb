// How often `recall` ranks the right turn near the top, for questions with known answers. `measureRecall(dir)` measures
// any directory in the form of test/fixtures/month: `claude/`, `codex/`, `QUESTIONS.json`. A question may hold `also` and
// `words`, other wordings by whoever asks: then it is asked with them as well.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Daybook } from "../../dist/index.js";
import { rootsOf } from "./material.js";

/**
 * @typedef {{ question: string, keywords: string, answers: string[], also?: string[], words?: string[] }} Question
 * @typedef {{ answerable: number, first: number, three: number, ten: number, claimed: number, denied: number,
 *   unanswerable: number, recognised: number }} Measured
 * `claimed`: called answered although the right turn is not among the first three; `denied`: answerable, but said not to
 * be; `recognised`: without an answer, and not called answered.
 */

const wordings = ({ also, words }) => ({ also, words });
const nameOf = ({ session_id, turn_ref }) => `${session_id}/${turn_ref}`;

/** Position of the first right turn; Infinity if there is none. */
export function placeOf(results, answers) {
  const at = results.findIndex((one) => answers.includes(nameOf(one)));
  return at === -1 ? Infinity : at;
}

/**
 * @param {Daybook} daybook
 * @param {readonly Question[]} questions
 * @param {(question: Question) => object} [more] what is given besides the question
 * @param {(question: Question, place: number) => void} [onMiss] gets the questions that failed
 * @returns {Promise<Measured>}
 */
export async function measureQuestions(daybook, questions, more = () => ({}), onMiss = () => undefined) {
  const sum = { answerable: 0, first: 0, three: 0, ten: 0, claimed: 0, denied: 0, unanswerable: 0, recognised: 0 };
  for (const question of questions) {
    const answer = await daybook.recall(question.question, { ...more(question), limit: 10 });
    if (question.answers.length === 0) {
      sum.unanswerable++;
      if (answer.answered !== true) sum.recognised++;
      else onMiss(question, Infinity);
      continue;
    }
    const place = placeOf(answer.results, question.answers);
    sum.answerable++;
    for (const [name, most] of Object.entries({ first: 1, three: 3, ten: 10 })) if (place < most) sum[name]++;
    if (answer.answered === false) sum.denied++;
    if (place < 3) continue;
    if (answer.answered === true) sum.claimed++;
    onMiss(question, place);
  }
  return sum;
}

/**
 * @public For the evaluation of all capabilities.
 * @param {string} dir
 * @param {{ embeddings?: { embeddings: string, model?: string, key_env?: string } }} [options] with a model, it is
 *   measured as well
 * @returns {Promise<{ way: "words" | "wordings" | "model" | "model and wordings", measured: Measured }[]>}
 */
export async function measureRecall(dir, { embeddings } = {}) {
  const questions = JSON.parse(readFileSync(join(dir, "QUESTIONS.json"), "utf8"));
  const book = mkdtempSync(join(tmpdir(), "daybook-recall-"));
  const roots = rootsOf(dir);
  const open = (more) =>
    new Daybook({ roots, book, timezone: "Europe/Berlin", env: process.env, home: "/nowhere", ...more });
  const worded = questions.filter(({ also, words }) => also || words);
  const rows = [];
  const add = async (daybook, name) => {
    rows.push({ way: name ?? "words", measured: await measureQuestions(daybook, questions) });
    if (worded.length === 0) return;
    const way = name === null ? "wordings" : `${name} and wordings`;
    rows.push({ way, measured: await measureQuestions(daybook, worded, wordings) });
  };
  const daybook = open({});
  try {
    await daybook.sync();
    await add(daybook, null);
    if (embeddings) {
      const withModel = open({ embeddings });
      await withModel.makeVectors();
      await add(withModel, "model");
      withModel.close();
    }
  } finally {
    daybook.close();
    rmSync(book, { recursive: true, force: true });
  }
  return rows;
}
