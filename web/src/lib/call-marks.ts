import type { Tone } from "./marks.ts";

/** How a tool call ended: a sign, a word, and a colour that says no more than they do. */
export const CALL_MARKS: Readonly<
  Record<"ok" | "failed" | "interrupted" | "denied" | "pending" | "skipped", { sign: string; word: string; tone: Tone }>
> = {
  ok: { sign: "✓", word: "done", tone: "good" },
  failed: { sign: "✗", word: "failed", tone: "bad" },
  interrupted: { sign: "■", word: "interrupted", tone: "wait" },
  denied: { sign: "✗", word: "denied", tone: "wait" },
  skipped: { sign: "–", word: "not run", tone: "quiet" },
  pending: { sign: "◔", word: "running", tone: "wait" },
};
