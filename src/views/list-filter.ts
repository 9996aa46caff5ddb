import { askedLine } from "../base/text/asked-line.ts";
import { inputSummary } from "../base/text/input-summary.ts";
import type { QueryOf } from "./query/field.ts";
import type { CALLS, LISTED, SORTED } from "./query/fields.ts";
import type { ToolView } from "./tool-view.ts";

/**
 * What lists of sessions and turns are filtered by, besides project, session, marks and days. Sessions in which
 * narratives were written are left out by their keys.
 */
export type ListFilter = Omit<QueryOf<typeof LISTED>, "own">;

/** The order of a list of sessions, and how many to skip. */
export interface ListOrder extends QueryOf<typeof SORTED> {
  offset?: number | undefined;
}

/** Selects tool calls, in addition to session, project and days, and says in which order they are listed. */
export interface ToolChoice extends QueryOf<typeof CALLS> {
  limit?: number | undefined;
  /** Number of calls to skip. */
  offset?: number | undefined;
}

/** `worst`: failures first, then by duration. `time`, the default: in the order of the sessions. */
export type ToolOrder = NonNullable<ToolChoice["order"]>;

/** Whether one of these texts contains the wanted one, ignoring case. The request counts as lists show it: one line. */
export function holdsText(
  { request, others }: { request: string | null; others: readonly (string | null)[] },
  wanted: string,
): boolean {
  const shown = [...others, request === null ? null : askedLine(request)];
  return shown.join("\n").toLowerCase().includes(wanted.toLowerCase());
}

/** True when the call's input contains the text, ignoring case, or when no text is given. */
export function inputHolds({ input }: ToolView, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  // The command as written, and the complete input.
  const text = `${inputSummary(input)}\n${typeof input === "string" ? input : JSON.stringify(input ?? null)}`;
  return text.toLowerCase().includes(wanted.toLowerCase());
}

const TROUBLE: Readonly<Record<ToolView["status"], number>> = {
  failed: 0,
  interrupted: 1,
  denied: 1,
  pending: 1,
  ok: 2,
};

/** Sorts calls that went wrong first. */
export function troubleOf({ status, expected_exit }: Pick<ToolView, "status" | "expected_exit">): number {
  // An ordinary answer, such as a search without a hit, is not a failure.
  return TROUBLE[expected_exit === true ? "ok" : status];
}
