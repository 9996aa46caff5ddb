import type { SessionKind } from "../../record/record.ts";
import { freshChain } from "../kit/chain.ts";
import { RecentMap, SavedMap } from "../kit/state.ts";
import { freshParked, type WindowedState } from "../kit/windows.ts";

/** A tool call without a result yet, with the file it writes. */
export interface OpenCall {
  name: string;
  path: string | null;
}

/** What the reader remembers of one window of the session. */
export interface WindowState {
  /** Latest write time of a record made by the agent. */
  workTime: number | null;
}

/** The complete state of the reader between two records. */
export interface ReaderState extends WindowState, WindowedState<WindowState> {
  kind: SessionKind;
  /** Id of the last record written: the next one is its child unless the human moved in the tree. */
  leaf: string | null;
  /** Line of every record by its id, because a branch may start at any of them. */
  nodes: SavedMap<number>;
  /** Where records of another turn begin: from the line on, they belong to the turn. */
  runs: [line: number, turn: number][];
  /** For each turn: the newest prompt that follows it, and the line of the record after which it was sent. */
  prompts: SavedMap<[prompt: number, after: number]>;
  /** The header was read, so a record without a known parent is a new root and not the rest of a cut file. */
  rooted: boolean;
  turns: number;
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
  provider: string | null;
  version: string;
  calls: RecentMap<OpenCall>;
}

/** Maximum number of open calls kept; results follow their call closely. */
const CALLS = 256;

export function freshState(kind: SessionKind): ReaderState {
  return {
    kind,
    leaf: null,
    nodes: new SavedMap(),
    runs: [],
    prompts: new SavedMap(),
    rooted: false,
    turns: 0,
    own: false,
    workTime: null,
    provider: null,
    version: "unknown",
    calls: new RecentMap(CALLS),
    parked: freshParked(),
    ...freshChain(),
  };
}
