import type { Tone } from "./status.ts";

/** How the status of a tool call is displayed. The colour adds no meaning to the sign and the word. */
export const CALL_STATUS: Readonly<
  Record<"ok" | "failed" | "interrupted" | "denied" | "pending" | "skipped", { sign: string; word: string; tone: Tone }>
> = {
  ok: { sign: "✓", word: "done", tone: "good" },
  failed: { sign: "✗", word: "failed", tone: "bad" },
  interrupted: { sign: "■", word: "interrupted", tone: "wait" },
  denied: { sign: "✗", word: "denied", tone: "wait" },
  skipped: { sign: "–", word: "not run", tone: "quiet" },
  pending: { sign: "◔", word: "running", tone: "wait" },
};
