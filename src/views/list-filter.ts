import { askedLine } from "../base/text/asked-line.ts";
import type { QueryOf } from "./query/field.ts";
import type { LISTED, SORTED } from "./query/fields.ts";

/**
 * What lists of sessions and turns are filtered by, besides project, session, marks and days. Sessions in which
 * narratives were written are left out by their keys.
 */
export type ListFilter = Omit<QueryOf<typeof LISTED>, "own">;

/** The order of a list of sessions, and how many to skip. */
export interface ListOrder extends QueryOf<typeof SORTED> {
  offset?: number | undefined;
}

/** Whether one of these texts contains the wanted one, ignoring case. The request counts as lists show it: one line. */
export function holdsText(
  { request, others }: { request: string | null; others: readonly (string | null)[] },
  wanted: string,
): boolean {
  const shown = [...others, request === null ? null : askedLine(request)];
  return shown.join("\n").toLowerCase().includes(wanted.toLowerCase());
}
