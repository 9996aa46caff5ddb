import { order } from "../text/order.ts";
import { inputSummary } from "../text/input-summary.ts";
import type { ToolView } from "./tool-view.ts";
import { keyOfSession } from "../format/session-key.ts";

export const TOOL_ORDERS = ["worst", "time"] as const;
/** `slow`: longest duration first. `recent`: latest start first. */
export type ToolOrder = (typeof TOOL_ORDERS)[number] | "slow" | "recent";

/** Selects calls, in addition to session, project and days. */
export interface ToolChoice {
  status?: string | undefined;
  name?: string | undefined;
  /** Only calls whose input contains this text; case is ignored. */
  grep?: string | undefined;
  /** Only calls to which a risk rule applies. */
  risky?: boolean | undefined;
  /** Without calls whose exit code is an ordinary answer. */
  unexpected?: boolean | undefined;
  /** `worst`: failures first, then by duration. `time`, the default: in the order of the sessions. */
  order?: ToolOrder | undefined;
  limit?: number | undefined;
  /** Number of calls to skip. */
  offset?: number | undefined;
}

/** Filters, sorts and pages calls that are given in the order of their sessions. */
export function chooseTools(views: readonly ToolView[], choice: ToolChoice): ToolView[] {
  const { grep, risky, unexpected, order: by = "time", limit = Infinity, offset = 0 } = choice;
  const chosen = views.filter(
    (view) =>
      (risky !== true || (view.risks ?? []).length > 0) &&
      (unexpected !== true || view.expected_exit !== true) &&
      matchesText(view, grep),
  );
  const listed = by === "time" ? chosen : chosen.toSorted(ORDERS[by]);
  return listed.slice(offset, offset + limit);
}

/** True when the call's input contains the text, ignoring case, or when no text is given. */
export function matchesText(view: ToolView, wanted: string | undefined): boolean {
  return wanted === undefined || textOf(view).toLowerCase().includes(wanted.toLowerCase());
}

/** The command as written, and the complete input. */
function textOf({ input }: ToolView): string {
  return `${inputSummary(input)}\n${typeof input === "string" ? input : JSON.stringify(input ?? null)}`;
}

const TROUBLE: Readonly<Record<ToolView["status"], number>> = {
  failed: 0,
  interrupted: 1,
  denied: 1,
  pending: 1,
  ok: 2,
};

export function troubleOf({ status, expected_exit }: Pick<ToolView, "status" | "expected_exit">): number {
  // An ordinary answer, such as a search without a hit, is not a failure.
  return TROUBLE[expected_exit === true ? "ok" : status];
}

type Order = (a: ToolView, b: ToolView) => number;
const keyOf = ({ source, session_id }: ToolView): string => keyOfSession(source, session_id);
const bySession: Order = (a, b) => order(keyOf(a), keyOf(b));
const bySlowness: Order = (a, b) => (b.duration_ms ?? -1) - (a.duration_ms ?? -1);
const startOf = ({ started_at }: ToolView): number => Date.parse(started_at ?? "1970-01-01");

/** The sort is stable: equal calls stay in the order of their sessions. */
const ORDERS: Readonly<Record<Exclude<ToolOrder, "time">, Order>> = {
  worst: (a, b) => troubleOf(a) - troubleOf(b) || bySlowness(a, b),
  slow: (a, b) => bySlowness(a, b) || bySession(a, b),
  recent: (a, b) => startOf(b) - startOf(a) || bySession(a, b),
};
