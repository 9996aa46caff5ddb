import type { TriggerEntry } from "../../format/record.ts";
import { Recent, RecentMap } from "../kit/recent.ts";

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
  spent: Map<string, Spent>;
  /** Subagents whose start was told → role. */
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
    spent: new Map(),
    agents: new RecentMap(LIMITS.agents),
    lines: new RecentMap(LIMITS.lines),
  };
}

export function saveState(state: ReaderState): unknown {
  return JSON.parse(JSON.stringify({ ...state, spent: [...state.spent] })) as unknown;
}

type Saved = { [K in keyof ReaderState]: unknown };

/** The state a cursor carries. A cursor of another make starts afresh rather than half-understood. */
export function loadState(saved: unknown): ReaderState {
  const base = freshState();
  if (typeof saved !== "object" || saved === null) return base;
  const from = structuredClone(saved) as Saved;
  if (!Array.isArray(from.ids) || !Array.isArray(from.spent)) return base;
  return {
    ...base,
    ...(from as ReaderState),
    ids: new Recent(LIMITS.ids, from.ids as string[]),
    calls: new RecentMap(LIMITS.calls, from.calls as [string, StartedCall][]),
    responses: new RecentMap(LIMITS.responses, from.responses as [string, string][]),
    spent: new Map(from.spent as [string, Spent][]),
    agents: new RecentMap(LIMITS.agents, from.agents as [string, string][]),
    lines: new RecentMap(LIMITS.lines, from.lines as [string, number][]),
  };
}
