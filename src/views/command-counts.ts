import { order } from "../base/text/order.ts";

/** Counts of the tool calls that ran one program, or of one tool. */
export interface CommandCount {
  /** The tool; if several ran the command, the first by name. Null when the team store does not hold it. */
  tool: string | null;
  /** The program with its subcommand; null when the calls run none. */
  command: string | null;
  calls: number;
  /** Without calls whose exit code is an ordinary answer. */
  failed: number;
  denied: number;
  /** Sum over the calls whose duration is known. */
  duration_ms: number;
  longest_ms: number;
}

/** Merges counts of the same command or tool. The most frequent first. */
export function addCounts(counts: Iterable<CommandCount>): CommandCount[] {
  const sums = new Map<string, CommandCount>();
  for (const one of counts) {
    const key = one.command ?? `\t${one.tool}`;
    const sum = sums.get(key);
    if (!sum) {
      sums.set(key, { ...one });
      continue;
    }
    if (order(one.tool ?? "", sum.tool ?? "") < 0) sum.tool = one.tool;
    for (const column of ["calls", "failed", "denied", "duration_ms"] as const) sum[column] += one[column];
    sum.longest_ms = Math.max(sum.longest_ms, one.longest_ms);
  }
  return [...sums.values()].toSorted(
    (a, b) => b.calls - a.calls || b.failed - a.failed || order(a.command ?? a.tool ?? "", b.command ?? b.tool ?? ""),
  );
}
