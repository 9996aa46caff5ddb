import { turnIndexOf, type Session, type Turn } from "../turns/session.ts";
import { contextTrail, type TurnTrail } from "./context-trail.ts";
import type { SettingsInForce, SessionDetail, TurnDetail, TurnSettings } from "./rows.ts";
import { descendants } from "./turn-view.ts";
import { sessionKey } from "../record/session-key.ts";

export function sessionDetail({ delegations, diagnostics }: Session): SessionDetail {
  return { files: delegations.flatMap(({ draft }) => draft.files), diagnostics };
}

/** The details of all turns, in order: the settings of a turn depend on the turns before it. */
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

/** Looks up the settings in force in a turn, from the turns that have stored settings, in order. */
export function settingsByTurn(
  stored: readonly (readonly [place: number, TurnSettings])[],
): (ref: string) => SettingsInForce {
  const byPlace = new Map(stored);
  const given = stored.flatMap(([from, { instructions }]) => (instructions ? [{ from, instructions }] : []));
  return (ref) => {
    const place = turnIndexOf(ref);
    const instructions = given.findLast(({ from }) => from <= place)?.instructions ?? [];
    return { changes: byPlace.get(place)?.changes ?? [], instructions };
  };
}
