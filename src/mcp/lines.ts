import type { Zone } from "../time/zone.ts";

/** One line of a list: its parts with dots between them, without those there is nothing to say of. */
export function lineOf(parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part !== null && part !== undefined && part !== "").join(" · ");
}

/** How a turn is cited: what `read` takes. */
export function turnCitation(one: { source: string; session_id: string; turn_ref: string | null }): string {
  const session = `${one.source}/${one.session_id}`;
  return one.turn_ref === null ? session : `${session}/${one.turn_ref}`;
}

/** On the wall clock, to the minute; null where nobody knows. */
export function whenOf(zone: Zone, time: string | null): string | null {
  return time === null ? null : zone.clock(Date.parse(time)).slice(0, 16);
}
