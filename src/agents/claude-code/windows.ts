import { num, obj, str, type Native } from "../kit/native.ts";
import { Windows } from "../kit/windows.ts";
import type { WindowState } from "./state.ts";

/**
 * The record before this one. A compaction begins a new chain, and names the end of the old one separately. A prompt
 * without a record before it may state its index instead.
 */
export function parentOf(record: Native): string | null {
  const parent = str(record["parentUuid"]) ?? str(record["logicalParentUuid"]);
  const index = parent === null ? num(obj(record["turnPosition"])?.["turnIndex"]) : null;
  return index === null ? parent : `root#${index}`;
}

/** Several terminals may have one session open (`--resume`). */
export const windows: Windows<WindowState> = new Windows<WindowState>({
  fields: {
    turn: true,
    unanswered: true,
    stop: true,
    absorbed: true,
    command: true,
    goal: true,
    compaction: true,
    shell: true,
    voice: true,
    entry: true,
    ruling: true,
  },
  atWork: { turn: "running", unanswered: true, stop: null },
  parentOf,
  idOf: (record) => str(record["uuid"]),
  isWork: (record) => record["type"] === "assistant",
});

/** Prompts sent into a running turn: everything that follows in it belongs to them. */
export const JOINING: ReadonlySet<string> = new Set([
  "claude.tool_result.feedback",
  "claude.tool_result.prompt",
  "claude.queued.absorbed",
  "claude.queue.absorbed",
]);
