import type { CancelledBody } from "../../format/record.ts";
import { str, type Native } from "../kit/native.ts";
import type { ReaderState } from "./state.ts";

/**
 * Records form a tree: each names its parent, and the conversation continues at the newest one. A record whose parent
 * is not the newest one means that the human went back. Every turn written after that parent is then no longer on the
 * path.
 */
export function rewindOf(record: Native, state: ReaderState): CancelledBody[] {
  const parent = record["parentId"];
  if (parent === undefined || parent === state.leaf || !state.rooted || str(record["id"]) === null) return [];
  const from = parent === null ? 0 : state.nodes.get(str(parent) ?? "");
  // An unknown parent was on a line that was lost: its position is unknown.
  if (from === undefined || state.leaf === null) return [];
  return [{ type: "cancelled", reason: "rewound", from_line: from + 1 }];
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
