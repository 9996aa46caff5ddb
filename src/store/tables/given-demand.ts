import type { TimeRange } from "../../time/range.ts";

/** Lists of what another store has beside its sessions: any of them may be most of it. */
export const GIVEN_LISTS = ["turns", "calls", "responses", "asked", "facts"] as const;
export type GivenList = (typeof GIVEN_LISTS)[number];

/** What a question needs of another store. Its sessions are given whatever is asked, all of them. */
export interface GivenDemand {
  /** Which lists; all when absent. */
  lists?: readonly GivenList[] | undefined;
  /**
   * Only rows of sessions some part of whose life is in this time, and of those that caused them or were caused by them. Of texts only those in
   * it. All when absent.
   */
  range?: TimeRange | undefined;
  /** The same for responses alone, where less is needed of them than of the rest. */
  spent?: TimeRange | undefined;
  /** Texts that hold one of these words; where turns are not asked for, those that the texts stand in. */
  words?: string | undefined;
  /** In which state it is, and nothing else. */
  onlyState?: boolean | undefined;
}

/** Nothing but sessions. */
export const ONLY_SESSIONS: GivenDemand = { lists: [] };

/** Who was given one has all that another asks for. Texts are of one question alone. */
export function covers(given: GivenDemand, asked: GivenDemand): boolean {
  if (asked.words !== undefined || given.onlyState === true) return false;
  const lists = asked.lists ?? GIVEN_LISTS;
  if (!lists.every((list) => has(given, list))) return false;
  // Sessions are never narrowed.
  return lists.every((list) => isWithin(timesOf(asked, list), timesOf(given, list)));
}

function isWithin(inner: TimeRange, outer: TimeRange): boolean {
  const isBegun = outer.start === null || (inner.start !== null && inner.start >= outer.start);
  return isBegun && (outer.end === null || (inner.end !== null && inner.end <= outer.end));
}

/** Of which time a list is asked for. */
export function timesOf({ range = ALWAYS, spent = range }: GivenDemand, list: GivenList): TimeRange {
  return list === "responses" ? spent : range;
}

export function has({ lists }: GivenDemand, list: GivenList): boolean {
  return lists === undefined || lists.includes(list);
}

const ALWAYS: TimeRange = { start: null, end: null };
