import { addDays, type Zone } from "../time/zone.ts";
import { sessionKey, type Session, type Turn } from "../turns/session.ts";
import { refsOf } from "./citations.ts";
import { noFacts } from "./facts.ts";
import { looseEnds, mayBeLoose, type LastTurn } from "./loose-ends.ts";
import { sessionOf, type Glimpse, type Work } from "./loose/glimpse.ts";
import type { LooseEnd, SessionFacts } from "./model.ts";
import type { Span } from "./window.ts";

/** How far back a report looks for what is still loose. */
const LOOK_BACK_DAYS = 28;

export interface LeftOverInput {
  span: Span;
  zone: Zone;
  chosen: readonly Session[];
  work: Work;
  /** The name a project goes by in the report. */
  nameOf: (project: { project: string; project_key: string }) => string;
  facts: (session: Session) => SessionFacts;
  hide: (text: string) => string;
  /** Refs of the sessions of the report. */
  refs: ReadonlyMap<Session, string>;
}

/** Last turns worth looking at, of sessions that did nothing in the span: their records are needed too. */
export function earlierSessions(work: Work, span: Span, zone: Zone): Set<string> {
  const start = Date.parse(span.start);
  const newest = work.newest(lookBack(span, zone), Date.parse(span.end));
  return new Set(newest.filter((one) => one.time < start && mayBeLoose(one)).map(sessionOf));
}

/** What is loose at the end of a span: left by its turns, and left before. */
export function leftOver(input: LeftOverInput): { own: LooseEnd[]; carried: LooseEnd[] } {
  const { span, zone, work, chosen, nameOf } = input;
  const [start, end] = [Date.parse(span.start), Date.parse(span.end)];
  const named = (glimpse: Glimpse): Glimpse => ({ ...glimpse, project: nameOf(glimpse) });
  const newest = work
    .newest(lookBack(span, zone), end)
    .filter((one) => one.time >= start || mayBeLoose(one))
    .map(named);
  if (newest.length === 0) return { own: [], carried: [] };
  const projects = new Set(newest.map(({ project }) => project));
  const first = Math.min(...newest.map(({ time }) => time));
  const around = work
    .turns(zone.startOfDay(zone.day(first)), end, (project) => projects.has(nameOf(project)))
    .map(named);
  const byKey = new Map(chosen.map((session) => [sessionKey(session), session]));
  const refOnDay = refsByDay(around, zone);
  const lasts = newest.flatMap((glimpse): LastTurn[] => {
    const session = byKey.get(sessionOf(glimpse));
    const turn = session?.turns.find(({ ref }) => ref === glimpse.ref);
    if (!session || !turn) return [];
    const day = zone.day(glimpse.time);
    const hidden = { ...glimpse, prompt: input.hide(glimpse.prompt), final: input.hide(glimpse.final) };
    const own = glimpse.time >= start ? input.refs.get(session) : undefined;
    return [lastTurn(turn, hidden, input.facts(session), own ?? refOnDay(glimpse), day)];
  });
  const all = looseEnds(lasts, around, start);
  return {
    own: all.filter(({ time }) => Date.parse(time) >= start),
    carried: all.filter(({ time }) => Date.parse(time) < start),
  };
}

function lastTurn(
  turn: Turn,
  glimpse: Glimpse,
  sessionFacts: SessionFacts,
  session_ref: string,
  day: string,
): LastTurn {
  const facts = sessionFacts.turns.get(turn.ref) ?? noFacts();
  const asked = sessionFacts.decisions.filter((decision) => decision.turn_ref === turn.ref);
  return { turn, glimpse, facts, asked, session_ref, day };
}

function lookBack(span: Span, zone: Zone): number {
  return zone.startOfDay(addDays(span.since, -LOOK_BACK_DAYS));
}

/** Sessions are cited as in the report of the day. */
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
