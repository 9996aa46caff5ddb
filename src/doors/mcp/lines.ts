import type { Zone } from "../../base/time/zone.ts";
import { sessionKey } from "../../record/session-key.ts";

/** One line of a list: the non-empty parts, joined by dots. */
export function lineOf(parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part !== null && part !== undefined && part !== "").join(" · ");
}

/** The citation of a turn, as `read` takes it. */
export function turnCitation(one: { source: string; session_id: string; turn_ref: string | null }): string {
  const session = sessionKey(one);
  return one.turn_ref === null ? session : `${session}/${one.turn_ref}`;
}

/** Local time to the minute; null if unknown. */
export function whenOf(zone: Zone, time: string | null): string | null {
  return time === null ? null : zone.clock(Date.parse(time)).slice(0, 16);
}
