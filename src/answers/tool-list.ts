import { summary } from "../text/input-summary.ts";
import type { ToolView } from "./tool-view.ts";

export const TOOL_ORDERS = ["worst", "time"] as const;
export type ToolOrder = (typeof TOOL_ORDERS)[number];

/** Which calls are asked for, beyond session, project and days. */
export interface ToolChoice {
  status?: string | undefined;
  name?: string | undefined;
  /** Only calls whose input holds this text, in any case. */
  grep?: string | undefined;
  /** Only calls that a rule of risk marks. */
  risky?: boolean | undefined;
  /** `worst`: what failed first, then what took longest. `time`, the default: as the sessions have them. */
  order?: ToolOrder | undefined;
  limit?: number | undefined;
}

/** Chooses among calls given in the order of their sessions. */
export function chooseTools(views: readonly ToolView[], { grep, risky, order, limit }: ToolChoice): ToolView[] {
  const chosen = views.filter((view) => (risky !== true || view.risks.length > 0) && holdsText(view, grep));
  const listed = order === "worst" ? chosen.toSorted(byTrouble) : chosen;
  return limit === undefined ? listed : listed.slice(0, limit);
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

function byTrouble(a: ToolView, b: ToolView): number {
  return troubleOf(a) - troubleOf(b) || (b.duration_ms ?? -1) - (a.duration_ms ?? -1);
}
