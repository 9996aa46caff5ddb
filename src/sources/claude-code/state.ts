import type { SessionKind, TriggerEntry } from "../../format/record.ts";
import { Recent, RecentMap, SavedMap } from "../kit/recent.ts";
import type { Replay } from "./replay.ts";

/** How the running turn stands: a `turn_duration` record after an interrupt must not make it complete. */
export type TurnState = "running" | "completed" | "interrupted" | "failed";

/** Everything that ruled the work last, so that only changes are written. */
export interface Ruling {
  version: string | null;
  cwd: string | null;
  branch: string | null;
  model: string | null;
  permission: string | null;
  effort: string | null;
}

/** A subagent call: the role asked for, and the agent id once a record names it. */
export interface AgentCall {
  role: string | null;
  agent: string | null;
}

/** The whole memory of the reader between two records. Small and bounded, except one entry per trigger in `branches`. */
export interface ReaderState {
  /** The version met last: what comes without one is of it. */
  met: string;
  kind: SessionKind;
  /** 0 = no header written, 1 = written before the working directory was known, 2 = complete. */
  meta: 0 | 1 | 2;
  firstTime: string | null;
  forkedFrom: string | null;
  /** What the header said of it. */
  statedOrigin: string | null;
  /** The first chain record has been seen, so `kind` is settled. */
  chained: boolean;
  /** All chain records so far were copied from the session they name. */
  onlyCopies: boolean;
  ruling: Ruling;
  /** Instructions that are attached again and again: kind and path to the hash of the text stated last. */
  instructions: Record<string, string>;
  triggers: number;
  /** A trigger of this session itself has been seen: nothing after it is inherited. */
  own: boolean;
  turn: TurnState;
  /** A prompt or a result is the last thing the model was given. */
  unanswered: boolean;
  /** The current trigger was taken into a running turn, whose prompt id the records that follow still carry. */
  absorbed: boolean;
  /** What the last slash command did, and so whose its output is. */
  command: "none" | "local" | "compact" | "model";
  /** Where the summary after a compaction boundary belongs. */
  compaction: "none" | "setup" | "reaction";
  /** Call id of a `!` command whose output has not come yet. */
  shell: string | null;
  /** The copy of the conversation that is being passed over. */
  replay: Replay | null;
  /** The file goes on from its parent's conversation: what stands before its own task is the parent's. */
  fork: boolean;
  /** Attachments are kept in this file, and with them what was taken into a running turn. */
  attaches: boolean;
  /** Who spoke last, and what was asked then: Escape may send a queued prompt before its own marker is written. */
  voice: Voice;
  /** How the last prompt reached Claude Code. */
  entry: TriggerEntry;
  titles: { human: string | null; agent: string | null };
  uuids: Recent;
  calls: Recent;
  enqueued: Recent;
  /** Texts in the queue, first in, first out; "" where the record holds none. */
  waiting: string[];
  /** The largest statement of each, and one more than the tokens of the largest that named its model. */
  responses: RecentMap<number[]>;
  blocks: RecentMap<string[]>;
  agents: RecentMap<AgentCall>;
  edits: RecentMap<[tool: string, path: string]>;
  queued: RecentMap<number>;
  branches: SavedMap<number>;
}

/** Ids of the last answer and of the answer before the current prompt, with the prompts they belong to. */
export interface Voice {
  last: string | null;
  before: string | null;
  prompt: string | null;
  earlier: string | null;
}

const LIMITS = { uuids: 512, calls: 512, enqueued: 32, responses: 64, blocks: 8, agents: 128, edits: 64, queued: 16 };

export function freshState(kind: SessionKind): ReaderState {
  return {
    met: "unknown",
    kind,
    meta: 0,
    firstTime: null,
    forkedFrom: null,
    statedOrigin: null,
    chained: false,
    onlyCopies: true,
    ruling: { version: null, cwd: null, branch: null, model: null, permission: null, effort: null },
    instructions: {},
    triggers: 0,
    own: false,
    turn: "running",
    unanswered: false,
    absorbed: false,
    command: "none",
    compaction: "none",
    shell: null,
    replay: null,
    fork: false,
    attaches: false,
    voice: { last: null, before: null, prompt: null, earlier: null },
    entry: "unknown",
    titles: { human: null, agent: null },
    uuids: new Recent(LIMITS.uuids),
    calls: new Recent(LIMITS.calls),
    enqueued: new Recent(LIMITS.enqueued),
    waiting: [],
    responses: new RecentMap(LIMITS.responses),
    blocks: new RecentMap(LIMITS.blocks),
    agents: new RecentMap(LIMITS.agents),
    edits: new RecentMap(LIMITS.edits),
    queued: new RecentMap(LIMITS.queued),
    branches: new SavedMap(),
  };
}
