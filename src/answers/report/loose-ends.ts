import type { TurnView } from "../../views/turn-view.ts";
import type { CallGlance } from "../../views/rows.ts";
import { asksHuman, showsPlan, todoToolOf } from "../../agents/traits.ts";
import { citation, citeLine } from "./citations.ts";
import { noFacts, type TurnFacts } from "./facts.ts";
import { stillOpen, type OpenEnd } from "./loose/closing.ts";
import { fellShort } from "./loose/fell-short.ts";
import { isOfHuman, type Glimpse } from "./loose/glimpse.ts";
import { leftOpen, takenOver } from "./loose/prose.ts";
import type { DecisionView } from "../../views/decision-view.ts";
import type { LooseEnd, LooseEndKind } from "./model.ts";

/**
 * The last turn of a session as of the end of the span, with what is known about it. Only such a turn can leave a loose
 * end: after any other the session went on.
 */
export interface LastRequest {
  turn: TurnView;
  glimpse: Glimpse;
  calls: CallGlance;
  /** Reads the session's records, by far the most expensive step. */
  read: () => RecordFindings;
  /** The turn is in the span, so the records of its session were read already. */
  isOwn: boolean;
  session_ref: () => string;
  day: string;
}

/** What the records of a turn say beyond its row. */
export interface RecordFindings {
  facts: TurnFacts;
  /** Questions that the turn put to the human. */
  asked: readonly DecisionView[];
}

/** Used where the records of a turn are not needed. */
const NO_RECORDS: RecordFindings = { facts: noFacts(), asked: [] };

interface LooseEndDraft extends OpenEnd {
  kind: LooseEndKind;
  text: string;
  line: number | null;
  last: LastRequest;
  /**
   * Shown on its own day only: no session will say when the human did what they took on themselves, or whether the rest
   * was done.
   */
  fleeting: boolean;
}

/**
 * The loose ends that are still open, in the order of their turns. `around`: all turns that may have taken one up;
 * `start`: start of the span.
 */
export function looseEnds(lasts: readonly LastRequest[], around: readonly Glimpse[], start: number): LooseEnd[] {
  const found = lasts
    .filter(({ glimpse }) => isOfHuman(glimpse))
    .flatMap((last) => {
      const isRead = last.isOwn || needsRecords(last);
      const end = endOf(last, isRead ? last.read() : NO_RECORDS);
      return end === null ? [] : [{ ...end, isCertain: isRead }];
    })
    .toSorted((a, b) => a.turn.time - b.turn.time);
  return stillOpen(found, around, ({ last }) => endOf(last, last.read()))
    .filter(({ turn, fleeting }) => !fleeting || turn.time >= start)
    .map(looseEnd);
}

/** Cheap pre-filter: true for every turn in which `looseEnds` would find something. */
export function mayBeLoose(glimpse: Glimpse): boolean {
  if (!isOfHuman(glimpse)) return false;
  if (glimpse.outcome !== "completed" || glimpse.trouble || takenOver(glimpse.prompt) !== null) return true;
  return [true, false].some((changed) => leftOpen(glimpse.final, { ...glimpse, changed }) !== null);
}

/**
 * Whether the row alone cannot tell what the turn left. Even where it can, the records add commit subjects, by which a
 * later turn may be recognised as having taken it up.
 */
function needsRecords({ turn, glimpse, calls }: LastRequest): boolean {
  const names = [...calls.names];
  if (glimpse.outcome !== "completed") return names.some((name) => asksHuman(name) || showsPlan(name));
  if (turn.decisions !== null && turn.decisions.length > 0) return true;
  const said = leftOpen(glimpse.final, glimpse);
  // Commits count as changes too, and then other sentences of the same message matter.
  if (!glimpse.changed && names.length > 0) {
    const changed = leftOpen(glimpse.final, { ...glimpse, changed: true });
    if (JSON.stringify(said) !== JSON.stringify(changed)) return true;
  }
  return said === null && names.some((name) => todoToolOf(name) !== null);
}

function looseEnd({ kind, text, line, last }: LooseEndDraft): LooseEnd {
  const { turn, glimpse, session_ref, day } = last;
  const { turn_ref, start_line, end_line, trigger } = turn;
  return {
    kind,
    project: glimpse.project,
    day,
    time: new Date(glimpse.time).toISOString(),
    citation:
      line === null ? citation(session_ref(), turn_ref, start_line, end_line) : citeLine(session_ref(), turn_ref, line),
    source: glimpse.source,
    session_id: glimpse.session_id,
    turn_ref,
    text,
    asked: trigger.text ?? "",
  };
}

/** At most one loose end per turn: whoever comes back to the turn deals with all it left. */
function endOf(last: LastRequest, { facts, asked }: RecordFindings): LooseEndDraft | null {
  const { turn, glimpse } = last;
  const { outcome, outcome_detail } = turn;
  const context = `${glimpse.prompt.slice(0, 1000)}\n${glimpse.final.slice(-1000)}\n${facts.commits.map(({ subject }) => subject).join("\n")}`;
  const found = (kind: LooseEndKind, text: string, line: number | null, about = text): LooseEndDraft => ({
    kind,
    text,
    line,
    about,
    context,
    last,
    turn: glimpse,
    unfinished: false,
    fleeting: false,
    isCertain: true,
  });
  const waiting = facts.questions.find(({ status }) => status === "pending" || status === "interrupted");
  if (outcome !== "completed") {
    if (waiting) return found("unanswered_question", waiting.question, waiting.line);
    return { ...found(outcome, outcome_detail ?? "", null, glimpse.prompt), unfinished: true };
  }
  // Only briefs with a marker count: a tool that ended without an answer never showed its question, or the question was
  // dismissed, and what merely looks like a question is left to `leftOpen`.
  const question = asked.find(
    ({ tier, answered, asked_line }) => tier === "marker" && !answered && asked_line !== null,
  );
  if (question) return found("unanswered_question", question.title ?? "", question.asked_line);
  const line = facts.last_words?.line ?? null;
  const said = leftOpen(glimpse.final, { ...glimpse, changed: glimpse.changed || facts.commits.length > 0 });
  if (said) return { ...found(said.kind, said.text, line, said.sentences.join("\n")), fleeting: said.fleeting };
  const steps = openSteps(facts);
  if (steps) return found("open_todos", steps.text, steps.line);
  const [over] = [glimpse.prompt, ...asked.map(({ free_text }) => free_text ?? "")].flatMap(
    (one) => takenOver(one) ?? [],
  );
  if (over !== undefined) return { ...found("request", over, null), fleeting: true };
  const failed = fellShort(turn, last.calls);
  return failed === null ? null : found("unfinished", failed, line);
}

/**
 * Agents often forget to tick the last step: only steps that were never begun count, and only in a list with completed
 * steps.
 */
function openSteps({ todos }: TurnFacts): { text: string; line: number } | null {
  const items = todos?.items ?? [];
  const open = items.filter((item) => item.status === "pending");
  if (!todos || open.length === 0 || !items.some((item) => item.status === "completed")) return null;
  return { text: open.map((item) => item.text).join("; "), line: todos.line };
}
