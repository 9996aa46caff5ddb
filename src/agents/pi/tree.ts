import type { CancelledBody } from "../../record/record.ts";
import { str, type Native } from "../kit/native.ts";
import { Windows } from "../kit/windows.ts";
import { roleOf } from "./native.ts";
import type { ReaderState, WindowState } from "./state.ts";

/**
 * Records form a tree: each names its parent. The conversation continues at the newest one, unless the session is open
 * in several windows, or the human went back (`/tree`); nothing but what follows tells these apart.
 */
export const windows: Windows<WindowState, ReaderState> = new Windows<WindowState, ReaderState>({
  fields: { workTime: true },
  atWork: {},
  parentOf: (record) => (record["parentId"] === null ? ROOT : str(record["parentId"])),
  idOf: (record) => str(record["id"]),
  isWork,
  turnAfter: ({ nodes, runs }, id) => (id === ROOT ? 0 : turnAt(runs, nodes.get(id))),
});

/** Stands for the parent of the first record. */
const ROOT = "";

function isWork(record: Native): boolean {
  const role = roleOf(record);
  return role === "assistant" || role === "toolResult";
}

function turnAt(runs: ReaderState["runs"], line: number | undefined): number | undefined {
  if (line === undefined) return undefined;
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.[0] ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return runs[low - 1]?.[1];
}

/**
 * What was taken back if the human went back to the record's parent: the newest prompt that was sent from there, and
 * all that follow it. Work of the agent does not show that: it goes on in the window that it began in.
 */
export function rewindOf(record: Native, state: ReaderState): CancelledBody[] {
  const parent = record["parentId"];
  if (parent === undefined || parent === state.leaf || !state.rooted || str(record["id"]) === null) return [];
  const line = parent === null ? 0 : state.nodes.get(str(parent) ?? "");
  // An unknown parent was on a line that was lost: its position is unknown.
  if (line === undefined || state.leaf === null || isWork(record)) return [];
  const [prompt, after] = state.prompts.get(String(state.at)) ?? [0, -1];
  return after < line ? [] : [{ type: "cancelled", reason: "rewound", from_line: prompt }];
}

/** Adds the record to the tree. Returns false if its id is already known: the line was written twice. */
export function addToTree(record: Native, line: number, state: ReaderState): boolean {
  const id = str(record["id"]);
  if (record["type"] === "session") {
    state.rooted = true;
    return true;
  }
  if (id === null) return true;
  if (state.nodes.has(id)) return false;
  state.nodes.set(id, line);
  state.leaf = id;
  return true;
}

/** A prompt begins a turn. Returns the turn it follows, null if that is the one that began last. */
export function beginTurn(record: Native, line: number, state: ReaderState): number | null {
  const parent = str(record["parentId"]);
  state.prompts.set(String(state.at), [line, parent === null ? 0 : (state.nodes.get(parent) ?? 0)]);
  return windows.begin(record, line, false, state);
}

/** The record at this line belongs to the turn `at`. */
export function addToTurn(line: number, { runs, at }: ReaderState): void {
  if (runs.at(-1)?.[1] !== at) runs.push([line, at]);
}
