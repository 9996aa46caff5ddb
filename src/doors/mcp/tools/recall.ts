import { z } from "zod";
import { inside } from "../../../answers/daybook.ts";
import type { RecallAnswer, RecallResult } from "../../../answers/daybook.ts";
import { marksInBrief } from "../../../views/marks.ts";
import { plural } from "../../../base/text/units.ts";
import { recall as asked } from "../../../answers/questions/texts.ts";
import { cursor, inputsOf, lineOf, only, tool, type Tool, whenOf } from "../tool.ts";

/** Maximum number of turns shown. */
const MOST_TURNS = 20;
/** Characters per token, as an estimate for all models. */
const TOKEN = 4;

const VERDICTS: Readonly<Record<string, string>> = {
  true: "",
  unsure: "; unsure whether any is meant",
  false: "; none seems to answer the question",
};

/** The turns that answer a question. */
export const recall: Tool = tool({
  name: "recall",
  description:
    "Ask the past anything: the turns that answer best over prompts, replies, commands, files and errors, the caller's project first. Use it before asking the user what was done, decided or tried. Old texts use other words than you: always give `also` and `words`.",
  input: z.object({
    question: z.string().min(1).max(2000),
    also: z
      .array(z.string().min(1).max(2000))
      .max(6)
      .optional()
      .describe("three other wordings: technical; everyday; the likely answer as a statement. Also in English"),
    words: z.array(z.string().min(1).max(100)).max(8).optional().describe("terms the answer probably contains"),
    ...inputsOf(only(asked.query, ["project", "since", "until"])),
    budget: z.number().int().min(200).max(8000).default(1500).describe("tokens"),
    cursor,
  }),
  answer: async ({ question, also, words, since, until, budget, project: named }, { daybook, caller }) => {
    const found = await daybook.recall(question, {
      also,
      words,
      since,
      until,
      limit: MOST_TURNS,
      project: caller.project(named),
      cwd: caller.cwd ?? undefined,
      excludeSessions: await caller.ownSessions(),
    });
    const naming = await inside(daybook).naming(found.results);
    const texts = fitted(
      found.results.map((one) => resultText(one, question, naming(one), whenOf(daybook.zone, one.time))),
      budget * TOKEN,
    );
    const missing = missingText(found);
    return {
      about: `${plural(texts.length, "request")}, best first${VERDICTS[String(found.answered)] ?? ""}`,
      text: [...texts, ...(missing === null ? [] : [missing])].join("\n"),
    };
  },
});

/** Keeps at least the best one. */
function fitted(texts: readonly string[], most: number): string[] {
  let sum = 0;
  return texts.filter((text, i) => (sum += text.length) <= most || i === 0);
}

function resultText(one: RecallResult, question: string, id: string, when: string | null): string {
  const why = one.why.map(({ word, found }) =>
    word.toLowerCase() === found.toLowerCase() ? found : `${word}→${found}`,
  );
  return [
    lineOf([
      `${id}${one.citation.slice(one.session_id.length)}`,
      one.source,
      one.project,
      when,
      one.outcome,
      ...marksInBrief(one.marks),
    ]),
    `  asked: ${one.request}`,
    ...(one.result === null ? [] : [`  result: ${one.result}`]),
    ...(one.marks?.notes ?? []).map(({ text }) => `  note of the user: ${text.replaceAll(/\s+/g, " ")}`),
    `  ${one.kind}, line ${one.line}: ${one.snippet.replaceAll(/\s+/g, " ").trim()}`,
    ...(why.length === 0 ? [] : [`  found by: ${[...new Set(why)].join(", ")}`]),
    // Told only where it was not the question itself.
    ...(one.found_by[0] === question ? [] : [`  wording: ${one.found_by[0] ?? ""}`]),
  ].join("\n");
}

function missingText({ answered, missing }: RecallAnswer): string | null {
  return answered === true || missing.length === 0 ? null : `in none of them: ${missing.join(", ")}`;
}
