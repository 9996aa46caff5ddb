import type { RemoteDemand } from "../../answers/daybook.ts";
import { REMOTE_LISTS } from "../../answers/daybook.ts";

/** The query string for a team's server. */
export function demandQuery({
  lists,
  range,
  spent,
  sumsIn,
  together,
  words,
  mostTexts,
  onlyState,
}: RemoteDemand): string {
  const query = new URLSearchParams();
  if (lists !== undefined) query.set("lists", lists.join(","));
  const times = { from: range?.start, to: range?.end, spent_from: spent?.start, spent_to: spent?.end };
  for (const [name, time] of Object.entries(times))
    if (time !== null && time !== undefined) query.set(name, String(time));
  if (sumsIn !== undefined) query.set("sums_in", sumsIn);
  if (together !== undefined) query.set("together", together);
  if (words !== undefined) query.set("words", words);
  if (mostTexts !== undefined) query.set("most_texts", String(mostTexts));
  if (onlyState === true) query.set("state", "1");
  return query.toString();
}

/** The parsed query on the server; the names of lists are validated. */
export interface AskedQuery {
  lists?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  spent_from?: number | undefined;
  spent_to?: number | undefined;
  sums_in?: string | undefined;
  together?: "spent" | "trigger" | undefined;
  words?: string | undefined;
  most_texts?: number | undefined;
  state?: boolean | undefined;
}

/** A comma-separated list of list names, or empty. */
export const LISTS_PATTERN: RegExp = new RegExp(`^(?:(?:${REMOTE_LISTS.join("|")})(?:,(?!$)|$))*$`);

export function demandOf({
  lists,
  from,
  to,
  spent_from,
  spent_to,
  sums_in,
  together,
  words,
  most_texts,
  state,
}: AskedQuery): RemoteDemand {
  const named = lists?.split(",");
  const isApart = spent_from !== undefined || spent_to !== undefined;
  return {
    sumsIn: sums_in,
    together,
    words,
    mostTexts: most_texts,
    range: { start: from ?? null, end: to ?? null },
    onlyState: state,
    ...(isApart ? { spent: { start: spent_from ?? null, end: spent_to ?? null } } : {}),
    ...(named === undefined ? {} : { lists: REMOTE_LISTS.filter((list) => named.includes(list)) }),
  };
}
