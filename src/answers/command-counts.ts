import { order } from "../text/order.ts";
import { programName } from "./program-name.ts";
import type { ToolView } from "./tool-view.ts";

/** Tool calls of one kind: those that ran one program, or those of one tool. */
export interface CommandCount {
  /** The tool that was called; of those that ran the command the first by name. Null where a store does not hold it. */
  tool: string | null;
  /** The program that was run, with its subcommand; null where the calls run none. */
  command: string | null;
  calls: number;
  /** Without exit codes that are ordinary answers. */
  failed: number;
  denied: number;
  /** Of those calls of which it is known. */
  duration_ms: number;
  longest_ms: number;
}

/** Tool calls counted by what was run: a shell's by its program, any other by its tool's name. The most called first. */
export function commandCounts(calls: readonly ToolView[]): CommandCount[] {
  return addCounts(
    calls.map(({ name, input, status, expected_exit, duration_ms }) => ({
      ...{ tool: name, command: name === null ? null : programName(name, input), calls: 1 },
      failed: Number(status === "failed" && expected_exit !== true),
      denied: Number(status === "denied"),
      ...{ duration_ms: duration_ms ?? 0, longest_ms: duration_ms ?? 0 },
    })),
  );
}

/** Counts of some calls and of others together. */
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
