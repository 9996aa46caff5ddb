import type { TimeRange } from "../../base/time/range.ts";

/** Lists that a team store has beside its sessions: any of them may be the largest part. */
export const REMOTE_LISTS = ["turns", "calls", "responses", "asked", "facts"] as const;
export type RemoteList = (typeof REMOTE_LISTS)[number];

/**
 * What a question needs of an index that is made for it: rows are fetched from a team store, or written from files that
 * are in no book, which the times do not limit. All sessions are always included.
 */
export interface RemoteDemand {
  /** Which lists; all when absent. */
  lists?: readonly RemoteList[] | undefined;
  /**
   * Only rows of sessions that were active in this time, and of the sessions they started or were started by. Texts
   * only within it. Everything when absent.
   */
  range?: TimeRange | undefined;
  /** The same for responses, where a shorter time is enough. */
  spent?: TimeRange | undefined;
  /**
   * Nothing but sums of what was spent, by day of this time zone, agent and model: no sessions and no lists. Sums by a
   * quarter of an hour where the store has none of these days.
   */
  sumsIn?: string | undefined;
  /**
   * Responses of a turn within a quarter of an hour come as one, for questions that add them up by the time they were
   * spent or by that of their turn. Each on its own when absent.
   */
  together?: "spent" | "trigger" | undefined;
  /** Texts that contain one of these words; if turns are not asked for, also the turns with these texts. */
  words?: string | undefined;
  /**
   * If at least so many texts contain all the words, only the best of them, so many: by the weight of their kind, then
   * the newest. For questions that choose by nothing but words and range.
   */
  mostTexts?: number | undefined;
  /** Only the state of the store. */
  onlyState?: boolean | undefined;
}

/** Nothing but sessions. */
export const ONLY_SESSIONS: RemoteDemand = { lists: [] };
/** The same with their turns. */
export const ONLY_TURNS: RemoteDemand = { lists: ["turns"] };

/** Whether rows fetched for one demand are enough for another. Texts are specific to one question. */
export function covers(given: RemoteDemand, asked: RemoteDemand): boolean {
  if (asked.words !== undefined || given.onlyState === true) return false;
  if (given.sumsIn !== undefined)
    return given.sumsIn === asked.sumsIn && isWithin(asked.range ?? ALWAYS, given.range ?? ALWAYS);
  const lists: readonly RemoteList[] = asked.sumsIn === undefined ? (asked.lists ?? REMOTE_LISTS) : ["responses"];
  if (given.together !== undefined && lists.includes("responses") && asked.sumsIn === undefined)
    if (asked.together !== given.together) return false;
  if (!lists.every((list) => includesList(given, list))) return false;
  // Sessions are never narrowed.
  return lists.every((list) => isWithin(rangeOf(asked, list), rangeOf(given, list)));
}

function isWithin(inner: TimeRange, outer: TimeRange): boolean {
  const isBegun = outer.start === null || (inner.start !== null && inner.start >= outer.start);
  return isBegun && (outer.end === null || (inner.end !== null && inner.end <= outer.end));
}

/** The time range for which a list is asked. */
export function rangeOf({ range = ALWAYS, spent = range }: RemoteDemand, list: RemoteList): TimeRange {
  return list === "responses" ? spent : range;
}

export function includesList({ lists, sumsIn }: RemoteDemand, list: RemoteList): boolean {
  return sumsIn === undefined && (lists === undefined || lists.includes(list));
}

const ALWAYS: TimeRange = { start: null, end: null };
