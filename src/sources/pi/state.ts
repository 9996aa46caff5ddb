import type { SessionKind } from "../../format/record.ts";

/** A tool call that waits for its result, with the file it will have written. */
export interface OpenCall {
  name: string;
  path: string | null;
}

/** The whole memory of the reader between two records: plain JSON, except `nodes` and `calls`, which are kept as maps. */
export interface ReaderState {
  kind: SessionKind;
  /** The record written last: the next one is its child unless the human moved in the tree. */
  leaf: string | null;
  /** Line of every record by its id, because a branch may start at any of them. */
  nodes: Map<string, number>;
  /** The header has been read, so a record without a known parent is a new root and not the rest of a cut file. */
  rooted: boolean;
  turns: number;
  /** A trigger of this session itself has been seen: nothing after it is inherited. */
  own: boolean;
  /** Latest write time of a record the agent made. */
  workTime: number | null;
  provider: string | null;
  version: string;
  calls: Map<string, OpenCall>;
}

/** Calls remembered at most; results follow their call closely. */
const CALLS = 256;

export function freshState(kind: SessionKind): ReaderState {
  return {
    kind,
    leaf: null,
    nodes: new Map(),
    rooted: false,
    turns: 0,
    own: false,
    workTime: null,
    provider: null,
    version: "unknown",
    calls: new Map(),
  };
}

export function saveState(state: ReaderState): unknown {
  return { ...state, nodes: [...state.nodes], calls: [...state.calls] };
}

export function loadState(saved: unknown): ReaderState {
  const from = structuredClone(saved) as Omit<ReaderState, "nodes" | "calls"> & {
    nodes: [string, number][];
    calls: [string, OpenCall][];
  };
  return { ...from, nodes: new Map(from.nodes), calls: new Map(from.calls) };
}

export function rememberCall(state: ReaderState, id: string, call: OpenCall): void {
  state.calls.set(id, call);
  if (state.calls.size <= CALLS) return;
  for (const oldest of state.calls.keys()) {
    state.calls.delete(oldest);
    return;
  }
}
