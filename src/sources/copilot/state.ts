import type { TriggerEntry } from "../../format/record.ts";
import { Recent, RecentMap, SavedMap } from "../kit/recent.ts";

/** Tokens of one model: input, cache reads, cache writes, output, reasoning; `input` holds the cached ones. */
export type Sums = [input: number, read: number, write: number, output: number, reasoning: number];

/** What was counted of a model so far, in the whole file and since the process began. */
export interface Spent {
  all: Sums;
  run: Sums;
}

export interface StartedCall {
  name: string;
  /** Epoch ms of the record that began it. */
  at: number | null;
  path: string | null;
}

export type Ruling = Record<"version" | "cwd" | "branch" | "commit" | "model" | "effort", string | null>;

/** The whole memory of the reader between two records. */
export interface ReaderState {
  /** The version met last: what comes without one is of it. */
  met: string;
  meta: boolean;
  ruling: Ruling;
  title: string | null;
  triggers: number;
  /** A trigger of this session itself has been seen: nothing after it is inherited. */
  own: boolean;
  /** How the running process is used, from the system prompt it was given. */
  entry: TriggerEntry;
  /** The model's last message asked for no tool: the end of its step is the end of the turn. */
  answered: boolean;
  /** Questions to the model are marked with their beginning and end. */
  steps: boolean;
  ids: Recent;
  calls: RecentMap<StartedCall>;
  /** Provider's id of a response → the id its usage was counted under. */
  responses: RecentMap<string>;
  spent: SavedMap<Spent>;
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
    spent: new SavedMap(),
    agents: new RecentMap(LIMITS.agents),
    lines: new RecentMap(LIMITS.lines),
  };
}
