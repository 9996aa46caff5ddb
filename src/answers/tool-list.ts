import { order } from "../text/order.ts";
import { summary } from "../text/input-summary.ts";
import type { ToolView } from "./tool-view.ts";

export const TOOL_ORDERS = ["worst", "time"] as const;
/** `slow`: what took longest first. `recent`: what began last first. */
export type ToolOrder = (typeof TOOL_ORDERS)[number] | "slow" | "recent";

/** Which calls are asked for, beyond session, project and days. */
export interface ToolChoice {
  status?: string | undefined;
  name?: string | undefined;
  /** Only calls whose input holds this text, in any case. */
  grep?: string | undefined;
  /** Only calls that a rule of risk marks. */
  risky?: boolean | undefined;
  /** Without calls whose exit code is an ordinary answer. */
  unexpected?: boolean | undefined;
  /** `worst`: what failed first, then what took longest. `time`, the default: as the sessions have them. */
  order?: ToolOrder | undefined;
  limit?: number | undefined;
  /** So many of them are left out first. */
  offset?: number | undefined;
}

/** Chooses among calls given in the order of their sessions. */
export function chooseTools(views: readonly ToolView[], choice: ToolChoice): ToolView[] {
  const { grep, risky, unexpected, order: by = "time", limit = Infinity, offset = 0 } = choice;
  const chosen = views.filter(
    (view) =>
      (risky !== true || (view.risks ?? []).length > 0) &&
      (unexpected !== true || view.expected_exit !== true) &&
      holdsText(view, grep),
  );
  const listed = by === "time" ? chosen : chosen.toSorted(ORDERS[by]);
  return listed.slice(offset, offset + limit);
}

/** Whether the call was given this text, in any case; every call when none is asked for. */
export function holdsText(view: ToolView, wanted: string | undefined): boolean {
  return wanted === undefined || textOf(view).toLowerCase().includes(wanted.toLowerCase());
}

/** The command as it was written, and everything else the call was given. */
function textOf({ input }: ToolView): string {
  return `${summary(input)}\n${typeof input === "string" ? input : JSON.stringify(input ?? null)}`;
}

const TROUBLE: Readonly<Record<ToolView["status"], number>> = {
  failed: 0,
  interrupted: 1,
  denied: 1,
  pending: 1,
  ok: 2,
};

export function troubleOf({ status, expected_exit }: Pick<ToolView, "status" | "expected_exit">): number {
  // A search without a hit is no trouble.
  return TROUBLE[expected_exit === true ? "ok" : status];
}

type Order = (a: ToolView, b: ToolView) => number;
const keyOf = ({ source, session_id }: ToolView): string => `${source}/${session_id}`;
const bySession: Order = (a, b) => order(keyOf(a), keyOf(b));
const bySlowness: Order = (a, b) => (b.duration_ms ?? -1) - (a.duration_ms ?? -1);
const startOf = ({ started_at }: ToolView): number => Date.parse(started_at ?? "1970-01-01");

/** Calls given in the order of their sessions: those that are equal stay in it. */
const ORDERS: Readonly<Record<Exclude<ToolOrder, "time">, Order>> = {
  worst: (a, b) => troubleOf(a) - troubleOf(b) || bySlowness(a, b),
  slow: (a, b) => bySlowness(a, b) || bySession(a, b),
  recent: (a, b) => startOf(b) - startOf(a) || bySession(a, b),
};
