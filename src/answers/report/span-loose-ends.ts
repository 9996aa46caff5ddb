import { addDays, type Zone } from "../../base/time/zone.ts";
import type { AnswerRows } from "../../views/rows.ts";
import { refsOf } from "./citations.ts";
import { noFacts } from "./facts.ts";
import { looseEnds, mayBeLoose, type LastRequest, type RecordFindings } from "./loose-ends.ts";
import { sessionOf, type Glimpse } from "./loose/glimpse.ts";
import { SurroundingTurns } from "./loose/work.ts";
import type { LooseEnd, FoundFacts } from "./model.ts";
import type { Span } from "./window.ts";

/** How far back a report looks for loose ends. */
const LOOK_BACK_DAYS = 28;

export interface SpanLooseEndsInput {
  span: Span;
  zone: Zone;
  rows: AnswerRows;
  /** Maps a project to its name in the report. */
  nameOf: (project: { project: string; project_key: string }) => string;
  facts: (session: string) => FoundFacts;
  hide: (text: string) => string;
  /** Refs of the report's sessions, by session key. */
  refs: ReadonlyMap<string, string>;
}

/**
 * The loose ends at the end of a span: those its own turns left, and those carried over from before. Null when the
 * texts of all turns concerned are unknown.
 */
export function looseEndsOfSpan(input: SpanLooseEndsInput): { own: LooseEnd[] | null; carried: LooseEnd[] | null } {
  const { span, zone, rows, nameOf } = input;
  const work = new SurroundingTurns(rows);
  const [start, end] = [Date.parse(span.start), Date.parse(span.end)];
  const named = (glimpse: Glimpse): Glimpse => ({ ...glimpse, project: nameOf(glimpse) });
  const all = work.newest(lookBack(span, zone), end);
  const isOwnKnown = areTextsKnown(all.filter(({ time }) => time >= start));
  const isRestKnown = areTextsKnown(all.filter(({ time }) => time < start));
  const newest = all.filter((one) => one.worded && (one.time >= start || mayBeLoose(one))).map(named);
  if (newest.length === 0) return { own: isOwnKnown ? [] : null, carried: isRestKnown ? [] : null };
  const projects = new Set(newest.map(({ project }) => project));
  const first = Math.min(...newest.map(({ time }) => time));
  const around = work
    .turns(zone.startOfDay(zone.day(first)), end, (project) => projects.has(nameOf(project)))
    .map(named);
  const refOnDay = refsByDay(around, zone);
  const lasts = newest.flatMap((glimpse): LastRequest[] => {
    const [key, { ref }] = [sessionOf(glimpse), glimpse];
    const turn = rows.turn(key, ref)?.view();
    if (!turn) return [];
    const hidden = { ...glimpse, prompt: input.hide(glimpse.prompt), final: input.hide(glimpse.final) };
    const own = glimpse.time >= start ? input.refs.get(key) : undefined;
    const read = (): RecordFindings => {
      const { turns, decisions } = input.facts(key);
      const asked = decisions.filter((decision) => decision.turn_ref === ref);
      return { facts: turns.get(ref) ?? noFacts(), asked };
    };
    return [
      {
        turn,
        glimpse: hidden,
        calls: rows.callGlance(key, ref),
        read,
        isOwn: glimpse.time >= start,
        session_ref: () => own ?? refOnDay(glimpse),
        day: zone.day(glimpse.time),
      },
    ];
  });
  const ends = looseEnds(lasts, around, start);
  return {
    own: isOwnKnown ? ends.filter(({ time }) => Date.parse(time) >= start) : null,
    carried: isRestKnown ? ends.filter(({ time }) => Date.parse(time) < start) : null,
  };
}

/** Whether loose ends can be determined: the texts of at least one turn are known, or there is no turn. */
function areTextsKnown(some: readonly Glimpse[]): boolean {
  return some.length === 0 || some.some(({ worded }) => worded);
}

/** The time from which on a report looks at turns. */
export function lookBack(span: Span, zone: Zone): number {
  return zone.startOfDay(addDays(span.since, -LOOK_BACK_DAYS));
}

/** Numbers each session as the report of the turn's own day does. */
function refsByDay(around: readonly Glimpse[], zone: Zone): (glimpse: Glimpse) => string {
  const days = new Map<string, Map<string, Glimpse>>();
  const dayOf = (glimpse: Glimpse): string => `${zone.day(glimpse.time)} ${glimpse.project}`;
  for (const glimpse of around) {
    const key = dayOf(glimpse);
    const sessions = days.get(key) ?? new Map<string, Glimpse>();
    if (!sessions.has(sessionOf(glimpse))) sessions.set(sessionOf(glimpse), glimpse);
    days.set(key, sessions);
  }
  return (glimpse) => {
    const sessions = days.get(dayOf(glimpse)) ?? new Map<string, Glimpse>();
    const found = sessions.get(sessionOf(glimpse));
    return (found && refsOf(sessions.values()).get(found)) ?? "";
  };
}
