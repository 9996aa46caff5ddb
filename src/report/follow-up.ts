import { askedLine } from "../text/asked-line.ts";
import { shared, termsOf } from "./loose/terms.ts";
import type { ReportTurn } from "./model.ts";
import { saysSomething } from "./result.ts";

/** A result, and a request, so short that they cannot say what they are about. */
const SHORT_RESULT = 40;
const SHORT_REQUEST = 60;
const FEW_TERMS = 4;
/** A longer request says what it is about, however it begins. */
const LONG_REQUEST = 160;
const LONGEST_BEFORE = 120;
const LONGEST_CALL = 80;
const LONGEST_MATTER = 80;

/** A request that says of somebody else's words what is to be done: `deactivated it`, `look at the second`, `can it be longer`. */
const POINTS_BACK =
  /^(?:\S+ ){0,3}(?:it|its|them|those|these|that|both|the (?:first|second|third|last|other|rest)(?: one)?|es|sie|das|beide[ns]?)(?=[\s.,;:!?]|$)/iu;
/** Said to the one before, whatever follows. */
const ANSWERS =
  /^(?:ok(?:ay)?|yes|yep|yeah|no|nope|nvm|never ?mind|hm+|wow|great|nice|good|perfect|thanks?|thx|all|both|go|do|and|but|also|then|now|ja|nein|gut|danke|und|dann|jetzt|passt|mach)(?=[\s.,;:!?]|$)/iu;

/**
 * Results of turns that make sense only behind others, with what they are about: `Fixed.` after `ok fix` says nothing without what
 * was found before, and an answer to `look at the second` not without what was asked first. What nobody allowed the agent to do
 * is named too: that is what came of it. Turns in order of time.
 */
export function withContext(turns: readonly ReportTurn[], hide: (text: string) => string): ReportTurn[] {
  const before = new Map<string, string>();
  const matters = new Map<string, string>();
  return turns.map((turn) => {
    const { result, outcome, trigger } = turn;
    const asked = trigger.text ?? "";
    const session = JSON.stringify([turn.source, turn.session_id]);
    const matter = matters.get(session);
    // A command of the human's own asks nothing of the agent.
    const isAsked = trigger.kind !== "shell";
    const isAbout = isAsked && needsMatter(asked);
    // What a session began with is its matter, however short.
    if (isAsked && (!isAbout || matter === undefined))
      matters.set(session, cut(askedLine(hide(asked)).replace(/[.:]+$/u, ""), LONGEST_MATTER));
    if (result === null) return turn;
    const notes: string[] = [];
    if (outcome === "completed") {
      notes.push(...deniedNote(turn));
      const known = isFollowUp(turn) ? before.get(session) : undefined;
      if (known !== undefined) notes.push(`before: ${cut(known.replace(/[.:]+$/u, ""), LONGEST_BEFORE)}`);
      if (saysSomething(result.text)) before.set(session, result.text);
    }
    if (isAbout && matter !== undefined && !names(result.text, matter)) notes.push(`on: ${matter}`);
    return notes.length === 0 ? turn : { ...turn, result: { ...result, text: `${result.text} (${notes.join("; ")})` } };
  });
}

/** Whether a result says itself what it is about. */
function names(result: string, matter: string): boolean {
  return shared(termsOf(result), termsOf(matter)) >= 2;
}

/** Whether the request alone does not say what it is about. */
function needsMatter(request: string): boolean {
  const text = request.trim();
  return text.length < LONG_REQUEST && (termsOf(text).size < FEW_TERMS || ANSWERS.test(text) || POINTS_BACK.test(text));
}

function isFollowUp({ result, trigger }: ReportTurn): boolean {
  const asked = trigger.text ?? "";
  const isShort = result !== null && result.text.length < SHORT_RESULT && asked.length < SHORT_REQUEST;
  return isShort && termsOf(asked).size < FEW_TERMS;
}

function deniedNote({ tool_problems }: ReportTurn): string[] {
  // A plan that was sent back is no deed that was forbidden.
  const denied = tool_problems.find(({ status, about }) => status === "denied" && !/^\s*[{[]/.test(about ?? ""));
  if (!denied) return [];
  const about = (denied.about ?? "").split("\n").find((line) => line.trim() !== "") ?? denied.name ?? "a call";
  return [`denied: ${cut(about.trim(), LONGEST_CALL)}`];
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/\s+\S*$/u, "")} …`;
}
