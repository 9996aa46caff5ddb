import type { Schemas } from "../api/client.ts";

export type Outcome = Schemas["Turn"]["outcome"];
export type Shown = Outcome | "unproven" | "running";
export type Tone = "good" | "bad" | "wait" | "quiet" | "accent";

/** How something ended: a sign, a word, and a colour that says no more than they do. */
export const MARKS: Readonly<Record<Shown, { sign: string; word: string; tone: Tone }>> = {
  completed: { sign: "✓", word: "done", tone: "good" },
  unproven: { sign: "!", word: "done by its word, but the last check failed", tone: "wait" },
  failed: { sign: "✗", word: "failed", tone: "bad" },
  aborted: { sign: "■", word: "stopped", tone: "quiet" },
  open: { sign: "◔", word: "not finished", tone: "wait" },
  running: { sign: "●", word: "running", tone: "accent" },
};

export type LooseKind = Schemas["LooseEnd"]["kind"];

/** Why something is loose, in words for people. */
export const LOOSE: Readonly<Record<LooseKind, string>> = {
  unanswered_question: "asks",
  request: "asks for something",
  failed: "failed",
  aborted: "stopped",
  open: "not finished",
  open_todos: "steps left open",
  unfinished: "left undone",
  promise: "promised",
};

/** What a loose end is about: a turn that did not finish by what was asked, anything else by what was said. */
export function looseText({ kind, text, asked }: Schemas["LooseEnd"]): string {
  if (kind !== "aborted" && kind !== "failed" && kind !== "open") return text;
  return text.trim() === "" ? asked : `${asked} (${text})`;
}
