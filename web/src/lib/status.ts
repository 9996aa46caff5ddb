import type { Schemas } from "../api/client.ts";

export type Outcome = Schemas["Turn"]["outcome"];
export type DisplayStatus = Outcome | "unproven" | "running";
export type Tone = "good" | "bad" | "wait" | "quiet" | "accent";

/** How a status is displayed. The colour adds no meaning to the sign and the word. */
export const STATUS: Readonly<Record<DisplayStatus, { sign: string; word: string; tone: Tone }>> = {
  completed: { sign: "✓", word: "done", tone: "good" },
  unproven: { sign: "!", word: "reported as done, but not proven: the last check failed", tone: "wait" },
  failed: { sign: "✗", word: "failed", tone: "bad" },
  aborted: { sign: "■", word: "stopped", tone: "quiet" },
  open: { sign: "◔", word: "not finished", tone: "wait" },
  running: { sign: "●", word: "running", tone: "accent" },
};

export type LooseKind = Schemas["LooseEnd"]["kind"];

/** Kinds of loose ends as shown to people. */
export const LOOSE_END_KINDS: Readonly<Record<LooseKind, string>> = {
  unanswered_question: "unanswered question",
  failed: "failed",
  aborted: "stopped",
  open: "not finished",
  open_todos: "open to-dos",
  check_failed: "check failed last",
  call_failed: "did not succeed",
  denied: "refused or stopped",
  plan_not_begun: "plan approved, not begun",
  uncommitted: "not committed",
  unpushed: "not pushed",
  unmerged: "branch not merged",
  open_pr: "opened, not merged",
  not_run: "written, never run",
  dry_run: "run for show only",
  not_looked_at: "started, never looked at",
  said: "said, not shown",
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
