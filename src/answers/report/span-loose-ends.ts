import { addDays, type Zone } from "../../base/time/zone.ts";
import type { AnswerRows, TurnRow, ViewRow } from "../../views/rows.ts";
import type { TurnView } from "../../views/turn-view.ts";
import { isOutside } from "../../base/shell/working-place.ts";
import { order } from "../../base/text/order.ts";
import { groupBy } from "../../base/maps.ts";
import { noFacts } from "../../views/facts/facts.ts";
import { openThreads, type Placed, type SaidEnd } from "./loose-ends.ts";
import type { WorkTurn } from "./loose/evidence.ts";
import type { LooseEnd, FoundFacts } from "./model.ts";
import type { Span } from "./window.ts";
import { parseSessionKey } from "../../record/session-key.ts";

/** How far back a report looks for loose ends. */
const LOOK_BACK_DAYS = 28;
/** Characters shown of a command. */
const LONGEST_SHOWN = 300;
/** The newest so many turns of a project are looked at, so that a report stays quick whatever programs did there. */
const MOST_TURNS = 3000;

export interface SpanLooseEndsInput {
  span: Span;
  zone: Zone;
  rows: AnswerRows;
  /** Maps a project to its name in the report. */
  nameOf: (project: { project: string; project_key: string }) => string;
  facts: (session: string) => FoundFacts;
  hide: (text: string) => string;
}

export interface SpanLooseEnds {
  /** What the turns of the span left; null when their texts are not known. */
  own: LooseEnd[] | null;
  /** What was left before it. */
  carried: LooseEnd[] | null;
  /** What agents said to be open, of the span and before. */
  said: LooseEnd[] | null;
}

/** The loose ends at the end of a span: those its own turns left, and those carried over from before. */
export function looseEndsOfSpan(input: SpanLooseEndsInput): SpanLooseEnds {
  const { span, zone, rows, nameOf } = input;
  const [start, end] = [Date.parse(span.start), Date.parse(span.end)];
  const listed = rows.turnsIn({ start: lookBack(span, zone), end });
  const byProject = groupBy(listed, nameOf);
  const fresh = zone.startOfDay(addDays(span.since, -FRESH_DAYS));
  const ends: LooseEnd[] = [];
  const spoken: SaidEnd[] = [];
  let [isOwnKnown, isRestKnown] = [true, true];
  for (const [project, all] of byProject) {
    const turns = rows.viewed(all.slice(-MOST_TURNS)).flatMap((row) => {
      const turn = workTurn(row, input);
      if (turn === null && isLater(row, start)) isOwnKnown = false;
      if (turn === null && !isLater(row, start)) isRestKnown = false;
      return turn ?? [];
    });
    turns.sort((a, b) => a.time - b.time || order(a.session, b.session) || order(a.ref, b.ref));
    const place = (turn: WorkTurn): Placed => {
      const { source, session_id } = parseSessionKey(turn.session);
      return { source, session_id, project, day: zone.day(turn.time), session_ref: rows.shortId(turn.session) };
    };
    for (const { end: one, said } of openThreads(turns, project, place)) {
      if (one && !isStale(one, fresh)) ends.push(one);
      if (said) spoken.push(said);
    }
  }
  ends.sort((a, b) => order(a.time, b.time) || order(a.session_id, b.session_id));
  return {
    own: isOwnKnown || ends.length > 0 ? ends.filter(({ time }) => Date.parse(time) >= start) : null,
    carried: isRestKnown || ends.length > 0 ? ends.filter(({ time }) => Date.parse(time) < start) : null,
    said: isOwnKnown && isRestKnown ? likeliest(spoken, start) : null,
  };
}

/**
 * A call the human refused himself waits for an act of his that no session records. For so many days it is told again;
 * later nobody can say from records whether it is still so.
 */
const FRESH_DAYS = 2;

function isStale({ kind, time }: LooseEnd, fresh: number): boolean {
  return kind === "denied" && Date.parse(time) < fresh;
}

/** At most so many are quoted of a day of the span, and of each day before it. */
const MOST_A_DAY = 4;
const MOST_EARLIER = 2;
/**
 * The least log-odds of a sentence of the span, and of one of the day before: that was seen, and nobody came back to it.
 * For each further day it takes more.
 */
const LEAST = 0;
const LEAST_EARLIER = 0.6;
const MORE_A_DAY = 0.3;
const DAY = 86_400_000;

/** The likeliest sentences of each day, in order of days. */
function likeliest(spoken: readonly SaidEnd[], start: number): LooseEnd[] {
  return [...groupBy(spoken, ({ end }) => end.day).values()]
    .flatMap((all) => {
      const isEarlier = all.some(({ end }) => Date.parse(end.time) < start);
      return all
        .filter(({ odds, end }) => odds >= leastOf(start - Date.parse(end.time)))
        .toSorted((a, b) => b.odds - a.odds || order(a.end.time, b.end.time))
        .slice(0, isEarlier ? MOST_EARLIER : MOST_A_DAY);
    })
    .map(({ end }) => end)
    .toSorted((a, b) => order(a.day, b.day));
}

/** `age`: how long before the span, in milliseconds. */
function leastOf(age: number): number {
  return age <= 0 ? LEAST : LEAST_EARLIER + MORE_A_DAY * Math.floor(age / DAY);
}

function isLater({ time }: TurnRow, start: number): boolean {
  return (time ?? 0) >= start;
}

/** A turn of a human that counts, with its records; `[]` for others, null when its texts are not known. */
function workTurn(row: ViewRow, { facts: factsOf, hide }: SpanLooseEndsInput): WorkTurn | [] | null {
  const { view, below } = row;
  const { trigger, taken_back, final_text } = view;
  if (taken_back !== null || trigger.entry === "automated") return [];
  if (final_text === null) return null;
  const { turns, decisions } = factsOf(row.session);
  const known = turns.get(row.ref) ?? noFacts();
  const steps = (known.steps ?? []).map((step) => ({ ...step, about: hide(step.about).slice(0, LONGEST_SHOWN) }));
  const facts = { ...known, steps };
  const inside = below.flatMap((key) => factsOf(key).turns.get("")?.commits ?? []);
  // What a sub-agent committed counts as committed when the turn ended.
  const commits = [...facts.commits, ...inside.map((commit) => ({ ...commit, line: view.end_line ?? Infinity }))];
  return {
    session: row.session,
    ref: row.ref,
    time: row.time ?? 0,
    until: view.ended_at === null ? (row.time ?? 0) : Date.parse(view.ended_at),
    prompt: hide(trigger.text ?? ""),
    final: hide(final_text),
    files: (view.files ?? []).map(({ path }) => path),
    subjects: commits.flatMap(({ subject }) => (subject === null ? [] : [hide(subject)])),
    view,
    facts,
    asked: decisions.filter((decision) => decision.turn_ref === row.ref),
    edits: editsOf(view),
    commits: commits.map(({ branch, line }) => ({ branch, line })),
    branch: view.context.git_branch,
    isClosed: view.marks?.closed ?? false,
  };
}

/** The files a turn changed where it worked: elsewhere may be another repository, or none. */
function editsOf({ cwd, files }: TurnView): WorkTurn["edits"] {
  const place = { roots: cwd === null ? [] : [cwd], cwd };
  return (files ?? []).flatMap(({ path, operation, line }) =>
    isOutside(path, cwd, place) ? [] : [{ path, isNew: operation === "created", line }],
  );
}

/** The time from which on a report looks at turns. */
export function lookBack(span: Span, zone: Zone): number {
  return zone.startOfDay(addDays(span.since, -LOOK_BACK_DAYS));
}
