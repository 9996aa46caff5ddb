import type { TurnView } from "../answers/turn-view.ts";
import type { CallGlance } from "../answers/rows.ts";
import { asksHuman, showsPlan, todoTool } from "../sources/traits.ts";
import { citation, citeLine } from "./citations.ts";
import { noFacts, type TurnFacts } from "./facts.ts";
import { stillLeft, type Left } from "./loose/closing.ts";
import { fellShort } from "./loose/fell-short.ts";
import { isOfHuman, type Glimpse } from "./loose/glimpse.ts";
import { leftOpen, takenOver } from "./loose/prose.ts";
import type { DecisionView } from "../answers/decision-view.ts";
import type { LooseEnd, LooseEndKind } from "./model.ts";

/** The last turn of a session as of the end of the span, with what is known of it: only what nobody came back to is loose. */
export interface LastTurn {
  turn: TurnView;
  glimpse: Glimpse;
  calls: CallGlance;
  /** Reads the records of the session, which costs more than all else. */
  read: () => TurnRecords;
  /** It is one of the span: its session was read already. */
  isOwn: boolean;
  session_ref: () => string;
  day: string;
}

/** What the records of a turn say beyond its row. */
export interface TurnRecords {
  facts: TurnFacts;
  /** Questions of the turn that were put to the human. */
  asked: readonly DecisionView[];
}

/** Of a turn whose records say nothing of what is asked about. */
const NO_RECORDS: TurnRecords = { facts: noFacts(), asked: [] };

interface Found extends Left {
  kind: LooseEndKind;
  text: string;
  line: number | null;
  last: LastTurn;
  /** Shown on its own day only: no session will say when the human did what he took upon himself, or that a rest was left. */
  fleeting: boolean;
}

/** What is still loose, in the order of the turns. `around`: all turns that may have taken it up; `start`: of the span. */
export function looseEnds(lasts: readonly LastTurn[], around: readonly Glimpse[], start: number): LooseEnd[] {
  const found = lasts
    .filter(({ glimpse }) => isOfHuman(glimpse))
    .flatMap((last) => {
      const isRead = last.isOwn || needsRecords(last);
      const end = endOf(last, isRead ? last.read() : NO_RECORDS);
      return end === null ? [] : [{ ...end, isCertain: isRead }];
    })
    .toSorted((a, b) => a.turn.time - b.turn.time);
  return stillLeft(found, around, ({ last }) => endOf(last, last.read()))
    .filter(({ turn, fleeting }) => !fleeting || turn.time >= start)
    .map(looseEnd);
}

/** Cheap, and never false where `looseEnds` would find something: which turns are worth a closer look. */
export function mayBeLoose(glimpse: Glimpse): boolean {
  if (!isOfHuman(glimpse)) return false;
  if (glimpse.outcome !== "completed" || glimpse.trouble || takenOver(glimpse.prompt) !== null) return true;
  return [true, false].some((changed) => leftOpen(glimpse.final, { ...glimpse, changed }) !== null);
}

/**
 * Whether the row alone cannot tell what the turn left. Where it can, records add the subjects of commits, by which a later turn
 * may be known to have taken it up as well.
 */
function needsRecords({ turn, glimpse, calls }: LastTurn): boolean {
  const names = [...calls.names];
  if (glimpse.outcome !== "completed") return names.some((name) => asksHuman(name) || showsPlan(name));
  if (turn.decisions !== null && turn.decisions.length > 0) return true;
  const said = leftOpen(glimpse.final, glimpse);
  // Commits are changes as well, and make other words of the same message count.
  if (!glimpse.changed && names.length > 0) {
    const changed = leftOpen(glimpse.final, { ...glimpse, changed: true });
    if (JSON.stringify(said) !== JSON.stringify(changed)) return true;
  }
  return said === null && names.some((name) => todoTool(name) !== null);
}

function looseEnd({ kind, text, line, last }: Found): LooseEnd {
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

/** At most one per turn: what it leaves is one matter for whoever comes back to it. */
function endOf(last: LastTurn, { facts, asked }: TurnRecords): Found | null {
  const { turn, glimpse } = last;
  const { outcome, outcome_detail } = turn;
  const context = `${glimpse.prompt.slice(0, 1000)}\n${glimpse.final.slice(-1000)}\n${facts.commits.map(({ subject }) => subject).join("\n")}`;
  const found = (kind: LooseEndKind, text: string, line: number | null, about = text): Found => ({
    ...{ kind, text, line, about, context, last, turn: glimpse },
    ...{ unfinished: false, fleeting: false, isCertain: true },
  });
  const waiting = facts.questions.find(({ status }) => status === "pending" || status === "interrupted");
  if (outcome !== "completed") {
    if (waiting) return found("unanswered_question", waiting.question, waiting.line);
    return { ...found(outcome, outcome_detail ?? "", null, glimpse.prompt), unfinished: true };
  }
  // A tool that ended without an answer never put its question, or it was dismissed; what only looks like one, its words tell.
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

/** Agents often leave the last step unticked: only steps that were never begun count, in a list that was kept. */
function openSteps({ todos }: TurnFacts): { text: string; line: number } | null {
  const items = todos?.items ?? [];
  const open = items.filter((item) => item.status === "pending");
  if (!todos || open.length === 0 || !items.some((item) => item.status === "completed")) return null;
  return { text: open.map((item) => item.text).join("; "), line: todos.line };
}
