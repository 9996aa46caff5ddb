import type { TurnBrief } from "../api/client.ts";

/** Number of turns that are added to the document and removed from it together. */
const GROUP = 16;

export interface TurnGroup {
  /** Index of its first turn among all turns. */
  from: number;
  turns: readonly TurnBrief[];
}

/**
 * Only groups near the viewport are in the document, even for thousands of turns. A group does not change when turns
 * are added after it.
 */
export function groupsOf(turns: readonly TurnBrief[]): TurnGroup[] {
  const groups: TurnGroup[] = [];
  for (let from = 0; from < turns.length; from += GROUP) groups.push({ from, turns: turns.slice(from, from + GROUP) });
  return groups;
}

/** Estimated height of a turn that has not been drawn yet, in px. */
export function estimatedHeight({ tool_calls, answer_length }: TurnBrief): number {
  return 180 + Math.min(tool_calls, 200) * 26 + Math.min((answer_length ?? 0) / 2.4, 1200);
}
