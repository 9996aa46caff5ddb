import type { Outcome } from "../../turns/model.ts";
import { sentencesOf } from "./loose/sentences.ts";

/** First sentence of the result of a turn that did not complete. */
const ENDED: Record<Exclude<Outcome, "completed">, string> = {
  aborted: "Stopped: interrupted before it was done.",
  failed: "Failed before it was done.",
  open: "Cut off: nothing says how it ended.",
};
const LONGEST = 160;

/**
 * The result of a turn that did not complete: how it ended, the agent's last sentence and the call under way.
 * `running`: the command or file of that call.
 */
export function endedEarly(outcome: Exclude<Outcome, "completed">, lastWords: string, running: string): string {
  const said = sentencesOf(lastWords).at(-1)?.text ?? "";
  const [command = ""] = running.split("\n").filter((line) => line.trim() !== "");
  const short = cut(said);
  const words = short === "" ? "" : ` Last said: ${short}${/[.!?…]$/u.test(short) ? "" : " …"}`;
  // For a tool without a command or file, `running` is the whole JSON input, which says nothing in one line.
  const deed = command === "" || /^\s*[{[]/.test(command) ? "" : ` It was at: ${cut(command.trim())}`;
  return `${ENDED[outcome]}${words}${deed}`;
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : text.slice(0, LONGEST).replace(/\s+\S*$/u, "");
}
