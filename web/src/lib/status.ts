import { OUTCOME_WORDS } from "../../../src/views/outcome-words.ts";
import type { Schemas } from "../api/client.ts";

export type Outcome = Schemas["Turn"]["outcome"];
export type DisplayStatus = Outcome | "unproven" | "running";
export type Tone = "good" | "bad" | "wait" | "quiet" | "accent";

/** How a status is displayed. The colour adds no meaning to the sign and the word. */
export const STATUS: Readonly<Record<DisplayStatus, { sign: string; word: string; tone: Tone }>> = {
  completed: { ...OUTCOME_WORDS.completed, tone: "good" },
  unproven: { ...OUTCOME_WORDS.unproven, tone: "wait" },
  failed: { ...OUTCOME_WORDS.failed, tone: "bad" },
  aborted: { ...OUTCOME_WORDS.aborted, tone: "quiet" },
  open: { ...OUTCOME_WORDS.open, tone: "wait" },
  running: { sign: "●", word: "running", tone: "accent" },
};

/** The text of a loose end: for a turn that did not finish its request, otherwise the words found. */
export function looseText({ kind, text, asked, quote }: Schemas["LooseEnd"]): string {
  if (text === null) return quote === null ? "not in the store" : `“${quote}”`;
  if (kind === "said") return `“${text}”`;
  const isEndedEarly = kind === "aborted" || kind === "failed" || kind === "open";
  const what = isEndedEarly ? (text.trim() === "" ? asked : `${asked} (${text})`) : text;
  return quote === null || text.includes(quote) ? what : `${what}: “${quote}”`;
}

const RELATIONS: Readonly<Record<string, string>> = {
  subagent: "sub-agent",
  companion: "companion",
  review: "review",
  fork: "fork",
};

/** What a session is to the one that started it. */
export function relationWord(relation: string): string {
  return RELATIONS[relation] ?? relation;
}
