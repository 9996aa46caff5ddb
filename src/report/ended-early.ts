import type { Outcome } from "../turns/model.ts";
import { sentencesOf } from "./loose/sentences.ts";

/** What came of a turn that did not end by itself: that it did not, and what was said last. */
const ENDED: Record<Exclude<Outcome, "completed">, string> = {
  aborted: "Stopped: interrupted before it was done.",
  failed: "Failed before it was done.",
  open: "Cut off: nothing says how it ended.",
};
const LONGEST = 160;

export function endedEarly(outcome: Exclude<Outcome, "completed">, lastWords: string): string {
  const said = sentencesOf(lastWords).at(-1)?.text ?? "";
  if (said === "") return ENDED[outcome];
  const short = said.length <= LONGEST ? said : said.slice(0, LONGEST).replace(/\s+\S*$/u, "");
  return `${ENDED[outcome]} Last said: ${short}${/[.!?…]$/u.test(short) ? "" : " …"}`;
}
