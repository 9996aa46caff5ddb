import { existsSync, readFileSync } from "node:fs";
import { appendLine } from "../../base/io/append-line.ts";

/** What one run of an agent is to write: a file in the workspace, for the tool server of the run. */
export type ToolTask =
  | { kind: "evidence"; workspace: string; writes: string; project: string; session: string; turns: string[] }
  | { kind: "project"; workspace: string; writes: string; project: string; turns: string[] }
  | { kind: "day"; workspace: string; writes: string };

/** The key under which the writes of a run are collected. */
export const LIST_OF: Readonly<Record<ToolTask["kind"], string>> = {
  evidence: "evidence_chains",
  project: "work_items",
  day: "days",
};

export const WRITE_TOOL: Readonly<Record<ToolTask["kind"], string>> = {
  evidence: "write_evidence",
  project: "write_work_item",
  day: "write_day",
};

export const READ_TOOL = "read_session_lines";

/** All writes so far, in order, accepted or not. A line cut short by a kill was never acknowledged. */
export function writesIn(path: string): unknown[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line) as unknown];
      } catch {
        return [];
      }
    });
}

/** Flushed to disk before it is acknowledged. */
export function addWrite(path: string, value: unknown): void {
  appendLine(path, value, { flush: true });
}

/** The writes of a run as one answer; null when there are none. */
export function answerOfWrites(kind: ToolTask["kind"], writes: readonly unknown[]): string | null {
  if (writes.length === 0) return null;
  return JSON.stringify({ [LIST_OF[kind]]: writes });
}
