import type { GivenDemand } from "../../daybook.ts";
import { GIVEN_LISTS } from "../../daybook.ts";

/** What is asked of a team's server, as it stands behind the `?`. */
export function demandQuery({ lists, range, spent, words, onlyState }: GivenDemand): string {
  const query = new URLSearchParams();
  if (lists !== undefined) query.set("lists", lists.join(","));
  const times = { from: range?.start, to: range?.end, spent_from: spent?.start, spent_to: spent?.end };
  for (const [name, time] of Object.entries(times))
    if (time !== null && time !== undefined) query.set(name, String(time));
  if (words !== undefined) query.set("words", words);
  if (onlyState === true) query.set("state", "1");
  return query.toString();
}

/** The same where it is asked; the names of lists are checked. */
export interface AskedQuery {
  lists?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  spent_from?: number | undefined;
  spent_to?: number | undefined;
  words?: string | undefined;
  state?: boolean | undefined;
}

/** A list of lists, or none of them. */
export const LISTS_PATTERN: RegExp = new RegExp(`^(?:(?:${GIVEN_LISTS.join("|")})(?:,(?!$)|$))*$`);

export function demandOf({ lists, from, to, spent_from, spent_to, words, state }: AskedQuery): GivenDemand {
  const named = lists?.split(",");
  const isApart = spent_from !== undefined || spent_to !== undefined;
  return {
    ...{ words, range: { start: from ?? null, end: to ?? null }, onlyState: state },
    ...(isApart ? { spent: { start: spent_from ?? null, end: spent_to ?? null } } : {}),
    ...(named === undefined ? {} : { lists: GIVEN_LISTS.filter((list) => named.includes(list)) }),
  };
}
