import { termsOf } from "./loose/terms.ts";
import type { ReportTurn } from "./model.ts";
import { saysSomething } from "./result.ts";

/** A result, and a request, so short that they cannot say what they are about. */
const SHORT_RESULT = 40;
const SHORT_REQUEST = 60;
const FEW_TERMS = 4;
const LONGEST_BEFORE = 120;
const LONGEST_CALL = 80;

/**
 * Results of turns that make sense only behind others, with what they are about: `Fixed.` after `ok fix` says nothing without what
 * was found before. What nobody allowed the agent to do is named too: that is what came of it. Turns in order of time.
 */
export function withContext(turns: readonly ReportTurn[]): ReportTurn[] {
  const before = new Map<string, string>();
  return turns.map((turn) => {
    const { result, outcome } = turn;
    if (result === null || outcome !== "completed") return turn;
    const session = JSON.stringify([turn.source, turn.session_id]);
    const known = isFollowUp(turn) ? before.get(session) : undefined;
    if (saysSomething(result.text)) before.set(session, result.text);
    const notes = [...deniedNote(turn), ...(known === undefined ? [] : [`before: ${cut(known, LONGEST_BEFORE)}`])];
    return notes.length === 0 ? turn : { ...turn, result: { ...result, text: `${result.text} (${notes.join("; ")})` } };
  });
}

function isFollowUp({ result, trigger }: ReportTurn): boolean {
  const isShort = result !== null && result.text.length < SHORT_RESULT && trigger.text.length < SHORT_REQUEST;
  return isShort && termsOf(trigger.text).size < FEW_TERMS;
}

function deniedNote({ tool_problems }: ReportTurn): string[] {
  // A plan that was sent back is no deed that was forbidden.
  const denied = tool_problems.find(({ status, about }) => status === "denied" && !/^\s*[{[]/.test(about));
  if (!denied) return [];
  const about = denied.about.split("\n").find((line) => line.trim() !== "") ?? denied.name;
  return [`denied: ${cut(about.trim(), LONGEST_CALL)}`];
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/\s+\S*$/u, "")} …`;
}
