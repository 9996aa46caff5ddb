import { placeOf, sessionKey, type OwnedCall, type Session, type Turn } from "../turns/session.ts";
import { contextTrail, type TurnTrail } from "./context-trail.ts";
import type { CallGlance, RuledBy, SessionDetail, TurnCalls, TurnDetail, TurnSettings } from "./rows.ts";
import { troubleOf } from "./tool-list.ts";
import { toolView } from "./tool-view.ts";
import { descendants } from "./turn-view.ts";

export function sessionDetail({ delegations, diagnostics }: Session): SessionDetail {
  return { files: delegations.flatMap(({ draft }) => draft.files), diagnostics };
}

/** Of all its turns, in order: what rules a turn follows from those before it. */
export function turnDetails(session: Session): [Turn, TurnDetail][] {
  const places = new Map(session.parts.map((part, place) => [part, place]));
  let before: string | null = null;
  return contextTrail(session).map((trail) => {
    const { turn } = trail;
    const instructions = JSON.stringify(trail.instructions);
    const settings = settingsOf(trail, instructions === (before ?? NO_INSTRUCTIONS));
    before = instructions;
    const below = descendants(turn).map(sessionKey);
    return [turn, { part: places.get(turn.part) ?? 0, lines: turn.draft.lines, below, settings }];
  });
}

const NO_INSTRUCTIONS = "[]";

function settingsOf({ shifts, instructions }: TurnTrail, isAsBefore: boolean): TurnSettings | null {
  if (isAsBefore) return shifts.length === 0 ? null : { changes: shifts };
  return { changes: shifts, instructions };
}

/** What ruled each turn, found from those of which something is said, in order. */
export function settingsIn(said: readonly (readonly [place: number, TurnSettings])[]): (ref: string) => RuledBy {
  const byPlace = new Map(said);
  const given = said.flatMap(([from, { instructions }]) => (instructions ? [{ from, instructions }] : []));
  return (ref) => {
    const place = placeOf(ref);
    const instructions = given.findLast(({ from }) => from <= place)?.instructions ?? [];
    return { changes: byPlace.get(place)?.changes ?? [], instructions };
  };
}

/** Nobody asks here which of them are risky: that would cost more than all the rest. */
export function turnCalls(session: Session, calls: readonly OwnedCall[]): TurnCalls {
  const views = calls.filter(({ call }) => call.parent_call_id === null).map((owned) => toolView(session, owned, []));
  return {
    expected_exit: views.filter(({ expected_exit }) => expected_exit === true).length,
    problems: views.filter(isTrouble),
    fails: views.at(-1)?.status === "failed" && views.at(-1)?.expected_exit !== true,
  };
}

export function callGlance(session: Session, calls: readonly OwnedCall[]): CallGlance {
  const last = calls.findLast(({ call }) => call.parent_call_id === null);
  const view = last && toolView(session, last, []);
  return {
    names: new Set(calls.map(({ call }) => call.name)),
    fails: view?.status === "failed" && view.expected_exit !== true,
  };
}

/** It did not end well, by more than an exit code that is an ordinary answer. */
function isTrouble(view: Parameters<typeof troubleOf>[0]): boolean {
  return troubleOf(view) < troubleOf({ status: "ok" });
}
