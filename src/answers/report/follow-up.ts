import { askedLine } from "../../base/text/asked-line.ts";
import { countShared, termsOf } from "./loose/terms.ts";
import type { ReportTurn } from "./model.ts";
import { saysSomething } from "./result.ts";

/** Below these lengths a result and a request cannot say what they are about. */
const SHORT_RESULT = 40;
const SHORT_REQUEST = 60;
const FEW_TERMS = 4;
/** A longer request says what it is about, however it begins. */
const LONG_REQUEST = 160;
const LONGEST_BEFORE = 120;
const LONGEST_CALL = 80;
const LONGEST_SUBJECT = 80;

/** A request that refers back to earlier words: `deactivated it`, `look at the second`, `can it be longer`. */
const POINTS_BACK =
  /^(?:\S+ ){0,3}(?:it|its|them|those|these|that|both|the (?:first|second|third|last|other|rest)(?: one)?|es|sie|das|beide[ns]?)(?=[\s.,;:!?]|$)/iu;
/** A request that begins by answering the previous turn. */
const ANSWERS =
  /^(?:ok(?:ay)?|yes|yep|yeah|no|nope|nvm|never ?mind|hm+|wow|great|nice|good|perfect|thanks?|thx|all|both|go|do|and|but|also|then|now|ja|nein|gut|danke|und|dann|jetzt|passt|mach)(?=[\s.,;:!?]|$)/iu;

/**
 * Adds context to the results of turns that make sense only after others: `Fixed.` after `ok fix` says nothing without
 * what was found before, and the answer to `look at the second` says nothing without the first request. Denied calls
 * are named too, as they are part of the result. `turns` are in order of time.
 */
export function addContext(turns: readonly ReportTurn[], hide: (text: string) => string): ReportTurn[] {
  const before = new Map<string, string>();
  const subjects = new Map<string, string>();
  return turns.map((turn) => {
    const { result, outcome, trigger } = turn;
    const asked = trigger.text ?? "";
    const session = JSON.stringify([turn.source, turn.session_id]);
    const subject = subjects.get(session);
    // A shell command that the human ran asks nothing of the agent.
    const isAsked = trigger.kind !== "shell";
    const isVague = isAsked && needsSubject(asked);
    // The first request of a session sets its subject, however short it is.
    if (isAsked && (!isVague || subject === undefined))
      subjects.set(session, cut(askedLine(hide(asked)).replace(/[.:]+$/u, ""), LONGEST_SUBJECT));
    if (result === null) return turn;
    const notes: string[] = [];
    if (outcome === "completed") {
      notes.push(...deniedNote(turn));
      const known = isFollowUp(turn) ? before.get(session) : undefined;
      if (known !== undefined) notes.push(`before: ${cut(known.replace(/[.:]+$/u, ""), LONGEST_BEFORE)}`);
      if (saysSomething(result.text)) before.set(session, result.text);
    }
    if (isVague && subject !== undefined && !namesSubject(result.text, subject)) notes.push(`on: ${subject}`);
    return notes.length === 0 ? turn : { ...turn, result: { ...result, text: `${result.text} (${notes.join("; ")})` } };
  });
}

/** Whether a result itself names the subject. */
function namesSubject(result: string, subject: string): boolean {
  return countShared(termsOf(result), termsOf(subject)) >= 2;
}

/** Whether the request alone does not say what it is about. */
function needsSubject(request: string): boolean {
  const text = request.trim();
  return text.length < LONG_REQUEST && (termsOf(text).size < FEW_TERMS || ANSWERS.test(text) || POINTS_BACK.test(text));
}

function isFollowUp({ result, trigger }: ReportTurn): boolean {
  const asked = trigger.text ?? "";
  const isShort = result !== null && result.text.length < SHORT_RESULT && asked.length < SHORT_REQUEST;
  return isShort && termsOf(asked).size < FEW_TERMS;
}

function deniedNote({ tool_problems }: ReportTurn): string[] {
  // A rejected plan is no forbidden action; its `about` is JSON.
  const denied = tool_problems.find(({ status, about }) => status === "denied" && !/^\s*[{[]/.test(about ?? ""));
  if (!denied) return [];
  const about = (denied.about ?? "").split("\n").find((line) => line.trim() !== "") ?? denied.name ?? "a call";
  return [`denied: ${cut(about.trim(), LONGEST_CALL)}`];
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/\s+\S*$/u, "")} …`;
}
