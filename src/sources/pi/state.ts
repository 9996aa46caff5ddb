import type { SessionKind } from "../../format/record.ts";
import { RecentMap, SavedMap } from "../kit/recent.ts";

/** A tool call that waits for its result, with the file it will have written. */
export interface OpenCall {
  name: string;
  path: string | null;
}

/** The whole memory of the reader between two records. */
export interface ReaderState {
  kind: SessionKind;
  /** The record written last: the next one is its child unless the human moved in the tree. */
  leaf: string | null;
  /** Line of every record by its id, because a branch may start at any of them. */
  nodes: SavedMap<number>;
  /** The header has been read, so a record without a known parent is a new root and not the rest of a cut file. */
  rooted: boolean;
  turns: number;
  /** A trigger of this session itself has been seen: nothing after it is inherited. */
  own: boolean;
  /** Latest write time of a record the agent made. */
  workTime: number | null;
  provider: string | null;
  version: string;
  calls: RecentMap<OpenCall>;
}

/** Calls remembered at most; results follow their call closely. */
const CALLS = 256;

export function freshState(kind: SessionKind): ReaderState {
  return {
    kind,
    leaf: null,
    nodes: new SavedMap(),
    rooted: false,
    turns: 0,
    own: false,
    workTime: null,
    provider: null,
    version: "unknown",
    calls: new RecentMap(CALLS),
  };
}
