import { inputSummary } from "../base/text/input-summary.ts";
import type { ToolView } from "./tool-view.ts";

/** `slow`: longest duration first. `recent`: latest start first. */
export type ToolOrder = "worst" | "time" | "slow" | "recent";

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
