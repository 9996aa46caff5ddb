import type { TriggerEntry } from "../../record/record.ts";
import { freshChain } from "../kit/chain.ts";
import { Recent, RecentMap, SavedMap } from "../kit/state.ts";
import { freshParked, type WindowedState } from "../kit/windows.ts";

/** Tokens of one model: input, cache reads, cache writes, output, reasoning; `input` includes the cached ones. */
export type TokenSums = [input: number, read: number, write: number, output: number, reasoning: number];

/** What was counted for a model so far, in the whole file and since the process started. */
export interface CountedTokens {
  all: TokenSums;
  run: TokenSums;
}

export interface StartedCall {
  name: string;
  /** Epoch ms of the record that started it. */
  at: number | null;
  path: string | null;
}

export type Settings = Record<"version" | "cwd" | "branch" | "commit" | "model" | "effort", string | null>;

/** What the reader remembers of one window of the session. */
export interface WindowState {
  /** How the running process is used, according to its system prompt. */
  entry: TriggerEntry;
  /** The model's last message requested no tool: the end of its step ends the turn. */
  answered: boolean;
}

/** The complete state of the reader between two records. */
export interface ReaderState extends WindowState, WindowedState<WindowState> {
  /** The last version stated; records without one are attributed to it. */
  met: string;
  meta: boolean;
  ruling: Settings;
  title: string | null;
  triggers: number;
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
  /** The file marks the beginning and end of requests to the model. */
  steps: boolean;
  ids: Recent;
  calls: RecentMap<StartedCall>;
  /** Provider's response id → the id under which its usage was counted. */
  responses: RecentMap<string>;
  /** Number of responses with a record of their usage. */
  recorded: number;
  spent: SavedMap<CountedTokens>;
  /** Subagents whose start was reported → role. */
  agents: RecentMap<string>;
  /** Event id of a prompt → its line. */
  lines: RecentMap<number>;
}

const LIMITS = { ids: 512, calls: 256, responses: 64, agents: 128, lines: 1024 };

export function freshState(): ReaderState {
  return {
    met: "unknown",
    meta: false,
    ruling: { version: null, cwd: null, branch: null, commit: null, model: null, effort: null },
    title: null,
    triggers: 0,
    own: false,
    entry: "unknown",
    answered: false,
    steps: false,
    ids: new Recent(LIMITS.ids),
    calls: new RecentMap(LIMITS.calls),
    responses: new RecentMap(LIMITS.responses),
    recorded: 0,
    spent: new SavedMap(),
    agents: new RecentMap(LIMITS.agents),
    lines: new RecentMap(LIMITS.lines),
    parked: freshParked(),
    ...freshChain(),
  };
}
