import type { components } from "../api/types.d.ts";

type Turn = Pick<components["schemas"]["TurnBrief"], "turn_ref" | "duration_ms" | "outcome" | "cost_usd">;

export interface MapBar {
  ref: string;
  x: number;
  width: number;
  height: number;
  outcome: Turn["outcome"];
}

/** Narrower bars could not be seen or clicked, in px. */
const LEAST = 2;

/**
 * One bar per turn: the width is its duration, the height its cost. Pauses between turns are left out. Both use a
 * square root scale, so that one long turn does not make the others invisible.
 */
export function minimapOf(turns: readonly Turn[], width: number, height: number): MapBar[] {
  if (turns.length === 0) return [];
  const gap = turns.length > width / 6 ? 0 : 1;
  const room = Math.max(width - gap * (turns.length - 1), 1);
  const took = turns.map(({ duration_ms }) => Math.sqrt(Math.max(duration_ms ?? 0, 1000)));
  const sum = took.reduce((all, one) => all + one, 0);
  const least = Math.min(LEAST, room / turns.length);
  // The minimum widths are reserved; only the rest is distributed.
  const shared = room - least * turns.length;
  const costs = turns.map(({ cost_usd }) => Math.sqrt(cost_usd ?? 0));
  const most = Math.max(...costs, Number.MIN_VALUE);
  let x = 0;
  return turns.map(({ turn_ref, outcome }, i) => {
    const own = least + ((took[i] ?? 0) / sum) * shared;
    const bar = { ref: turn_ref, x, width: own, height: Math.max(2, ((costs[i] ?? 0) / most) * height), outcome };
    x += own + gap;
    return bar;
  });
}
