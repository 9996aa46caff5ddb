import type { TurnBrief } from "../api/client.ts";

/** So many turns are put into the page and taken out of it together. */
const GROUP = 16;

export interface TurnGroup {
  /** The place of its first turn among all. */
  from: number;
  turns: readonly TurnBrief[];
}

/** A session of thousands of turns has few groups in the page: those near what is seen. A group stays what it is while turns are added. */
export function groupsOf(turns: readonly TurnBrief[]): TurnGroup[] {
  const groups: TurnGroup[] = [];
  for (let from = 0; from < turns.length; from += GROUP) groups.push({ from, turns: turns.slice(from, from + GROUP) });
  return groups;
}

/** How high a turn is likely to be until it was drawn, in px. */
export function roomOf({ tool_calls, answer_length }: TurnBrief): number {
  return 180 + Math.min(tool_calls, 200) * 26 + Math.min((answer_length ?? 0) / 2.4, 1200);
}
