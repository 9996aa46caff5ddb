import { askedLine } from "../../base/text/asked-line.ts";
import { citation, citeLine } from "./citations.ts";
import {
  evidenceIn,
  isIdle,
  isTalk,
  type Evidence,
  type Project,
  type EvidenceKind,
  type WorkTurn,
} from "./loose/evidence.ts";
import { Habits } from "./loose/habits.ts";
import { saidOpenIn, type Said } from "./loose/said.ts";
import { Spoken } from "./loose/spoken.ts";
import type { LooseEnd } from "./model.ts";
import { termsOf } from "./loose/terms.ts";
import { threadsOf, type Thread } from "./threads.ts";

/** The least log-odds with which a sentence is quoted beside what the records show. */
const QUOTED = 0;

/** What a later request must share with a sentence to speak of it: a rare word, such as a name. */
const SPOKEN = 0.6;

const LONGEST_GOAL = 300;

/** What else a loose end says about its turn. */
export interface Placed {
  source: string;
  session_id: string;
  project: string;
  day: string;
  session_ref: string;
}

/** A thread with what is open in it. */
export interface OpenThread {
  thread: Thread<WorkTurn>;
  /** The name of the thread: its first turn. */
  id: string;
  /** Null when the records show nothing open. */
  end: LooseEnd | null;
  /** What the agent said to be open, where the records show nothing; null when it said nothing of the kind. */
  said: SaidEnd | null;
}

export interface SaidEnd {
  end: LooseEnd;
  odds: number;
}

/** The threads of one project up to the end of a span, each with what the records show to be open. */
export function openThreads(
  turns: readonly WorkTurn[],
  project: string,
  place: (turn: WorkTurn) => Placed,
): OpenThread[] {
  const threads = threadsOf(turns, project, "far");
  const all = { turns, habits: new Habits(threads), spoken: new Spoken(turns, project) };
  return threads.flatMap((thread) => {
    if (!hasGoal(thread)) return [];
    const id = threadId(thread, place);
    // The word of a person closes a thread up to there; what is left after that is open again.
    const closed = thread.turns.findLast(({ isClosed }) => isClosed)?.time ?? -Infinity;
    const found = evidenceIn(thread, all).filter(({ turn }) => turn.time > closed);
    const spoken = saidOpenIn(thread);
    const said = spoken !== null && spoken.turn.time > closed ? spoken : null;
    if (found.length > 0) {
      const end = looseEnd(found, id, thread, place);
      // The agent's own words, where they are about the same turn.
      const isSame = said !== null && said.odds > QUOTED && end.turn_ref === said.turn.ref;
      return { thread, id, end: isSame ? { ...end, quote: said.quote } : end, said: null };
    }
    if (
      said === null ||
      all.spoken.isSpokenOf(said.turn, said.quote, SPOKEN) ||
      wasClosed(said.turn, thread, all, project)
    )
      return { thread, id, end: null, said: null };
    return { thread, id, end: null, said: { end: saidEnd(said, id, thread, place), odds: said.odds } };
  });
}

/** Whether anything was asked for or done: a greeting leaves nothing. */
function hasGoal({ turns }: Thread<WorkTurn>): boolean {
  return turns.some(
    ({ prompt, edits, facts }) => edits.length > 0 || (facts.last_call ?? null) !== null || termsOf(prompt).size > 0,
  );
}

/** Records showed something open when the turn ended, and later ones closed it: then its words are about that. */
function wasClosed(turn: WorkTurn, thread: Thread<WorkTurn>, all: Project, project: string): boolean {
  const turns = all.turns.filter(({ time }) => time <= turn.time);
  if (turns.length === all.turns.length) return false;
  return evidenceIn(thread, { ...all, turns, spoken: new Spoken(turns, project) }).some((one) => one.turn === turn);
}

function saidEnd(
  { turn, quote }: Said,
  thread: string,
  { turns: [first] }: Thread<WorkTurn>,
  place: (turn: WorkTurn) => Placed,
): LooseEnd {
  const { source, session_id, project, day, session_ref } = place(turn);
  return {
    kind: "said",
    project,
    day,
    time: new Date(turn.time).toISOString(),
    citation: citeLine(session_ref, turn.ref, turn.facts.last_words?.line ?? turn.view.end_line),
    source,
    session_id,
    turn_ref: turn.ref,
    text: quote,
    asked: turn.prompt,
    goal: goalOf(first),
    evidence: null,
    closes_by: null,
    thread,
    quote,
  };
}

/** The first request of a thread in one line. */
function goalOf(first: WorkTurn | undefined): string {
  return askedLine(first?.prompt ?? "").slice(0, LONGEST_GOAL);
}

function threadId({ turns: [first] }: Thread<WorkTurn>, place: (turn: WorkTurn) => Placed): string {
  return first ? `${place(first).session_id}/${first.ref}` : "";
}

/** Which of several signs names the loose end: what says most about what to do comes first. */
const ORDER: readonly EvidenceKind[] = [
  "unanswered_question",
  "denied",
  "check_failed",
  "call_failed",
  "open_todos",
  "not_run",
  "dry_run",
  "not_looked_at",
  "plan_not_begun",
  "open_pr",
  "unmerged",
  "unpushed",
  "uncommitted",
  "failed",
  "aborted",
  "open",
];
const ENDED_EARLY: ReadonlySet<EvidenceKind> = new Set(["failed", "aborted", "open"]);

/** Characters of a reply that only takes note. */
const NOTED = 160;

/**
 * Where the human last left what a turn leaves: in a later request he may have put it off, or asked about it by its name
 * or number, and nothing was done.
 */
function leftAt({ turn, text }: Evidence, turns: readonly WorkTurn[]): WorkTurn {
  const names = new Set([...(text ?? "").matchAll(/[\p{L}\p{N}_./-]*\d[\p{L}\p{N}_./-]*/gu)].map(([name]) => name));
  let at = turn;
  for (const later of turns.slice(turns.indexOf(turn) + 1)) {
    const isNoted = isTalk(later) && later.final.length <= NOTED && !/[?？؟]\s*$/.test(later.prompt);
    const isNamed = isIdle(later) && later.prompt.split(/[\s,;:#!()]+/).some((word) => names.has(word));
    if ((!isNoted && !isNamed) || later.session !== turn.session) break;
    at = later;
  }
  return at;
}

/**
 * One loose end per thread: whoever comes back to it deals with all of it. It stands at the newest turn that left
 * something; an attempt that did not finish leaves it where it was.
 */
function looseEnd(
  found: readonly Evidence[],
  thread: string,
  { turns }: Thread<WorkTurn>,
  place: (turn: WorkTurn) => Placed,
): LooseEnd {
  const [first] = turns;
  const lasting = found.filter(({ kind }) => !ENDED_EARLY.has(kind));
  const weighed = lasting.length > 0 ? lasting : found;
  const newest = Math.max(...weighed.map(({ turn }) => turn.time));
  const here = weighed.filter(({ turn }) => turn.time === newest);
  const [main] = here.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  const [sign = main] = [main];
  if (!sign) throw new Error("a loose end without evidence");
  const { kind, text, closes_by } = sign;
  const turn = leftAt(sign, turns);
  const { source, session_id, project, day } = place(turn);
  const cite = (one: Evidence): string => {
    const { session_ref: ref } = place(one.turn);
    const { start_line, end_line } = one.turn.view;
    return one.line === null
      ? citation(ref, one.turn.ref, start_line, end_line)
      : citeLine(ref, one.turn.ref, one.line);
  };
  return {
    kind,
    project,
    day,
    time: new Date(turn.time).toISOString(),
    citation: cite(turn === sign.turn ? sign : { ...sign, turn, line: null }),
    source,
    session_id,
    turn_ref: turn.ref,
    text,
    asked: turn.prompt,
    goal: goalOf(first),
    evidence: [...new Set(found.map(cite))],
    closes_by,
    thread,
    quote: null,
  };
}
