import type { SessionKind, TriggerEntry } from "../../record/record.ts";
import { freshChain } from "../kit/chain.ts";
import { Recent, RecentMap } from "../kit/state.ts";
import { freshParked, type WindowedState } from "../kit/windows.ts";
import type { Replay } from "./replay.ts";
import type { Stop } from "./stops.ts";

/** State of the current turn: a `turn_duration` record after an interrupt must not complete it. */
export type WorkState = "running" | "completed" | "interrupted" | "failed";

/** The settings reported last, so that only changes are reported. */
export interface ReportedSettings {
  version: string | null;
  cwd: string | null;
  branch: string | null;
  model: string | null;
  permission: string | null;
  effort: string | null;
}

/** A subagent call: the requested role, and the agent id once a record names it. */
export interface AgentCall {
  role: string | null;
  agent: string | null;
}

/** What the reader remembers of one window of the session: of the turn that runs there. */
export interface WindowState {
  ruling: ReportedSettings;
  turn: WorkState;
  /** The model has not answered the last prompt or tool result yet. */
  unanswered: boolean;
  /** Where the last response stopped; null if it was interrupted or failed, so that its end says nothing. */
  stop: Stop | null;
  /** The current trigger was taken into a running turn; the records that follow still have that turn's prompt id. */
  absorbed: boolean;
  /** What the last slash command did, which decides the class of its output. */
  command: "none" | "local" | "compact" | "model";
  /** The goal the agent works towards, and the goal it was given but has not been told yet, both as typed. */
  goal: { active: string | null; awaited: string | null };
  /** The class of the summary that follows a compaction boundary. */
  compaction: "none" | "setup" | "reaction";
  /** Call id of a `!` command whose output has not been read yet. */
  shell: string | null;
  /** The last answers and prompts: after Escape a queued prompt may be written before the interrupt marker. */
  voice: Voice;
  /** How the last prompt reached Claude Code. */
  entry: TriggerEntry;
}

/** Everything the reader remembers between two records. Bounded, except for one item per trigger in `branches`. */
export interface ReaderState extends WindowState, WindowedState<WindowState> {
  /** The version stated last; it also applies to records without a version. */
  met: string;
  kind: SessionKind;
  /** 0 = no header written, 1 = written before the working directory was known, 2 = complete. */
  meta: 0 | 1 | 2;
  firstTime: string | null;
  forkedFrom: string | null;
  /** The value of `forkedFrom` in the header reported last. */
  statedOrigin: string | null;
  /** The first chain record has been seen, so `kind` is settled. */
  chained: boolean;
  /** All chain records so far were copied from the session they name. */
  onlyCopies: boolean;
  /** For instructions that are attached repeatedly: the hash of the text stated last, by kind and path. */
  instructions: Record<string, string>;
  triggers: number;
  /** This session's own first trigger has been seen: nothing after it is inherited. */
  own: boolean;
  /** The release that was last seen to end a response in this file without stating a reason. */
  silentVersion: string | null;
  /** The copied run of records that is being read. */
  replay: Replay | null;
  /** Time and digest of each block of the last prompts, and the newest time: a copy goes back to one of them. */
  prompts: Recent;
  newest: number | null;
  /** A forked subagent's file, before its own task: the records up to there are its parent's. */
  fork: boolean;
  /** This file stores attachments, including prompts that were taken into a running turn. */
  attaches: boolean;
  titles: { human: string | null; agent: string | null };
  calls: Recent;
  enqueued: Recent;
  /**
   * Whether the next prompt was taken from the queue: put there while nothing was running (`idle`; `snapshot` if one
   * was taken then), or perhaps during a turn (`busy`).
   */
  passage: "none" | "idle" | "snapshot" | "busy";
  /** Texts in the queue, first in, first out; "" if the record states none. */
  waiting: string[];
  /**
   * Numbers of the largest usage statement of each response, then 1 + total tokens of the largest that names a model,
   * then 1 if the stream was cut.
   */
  responses: RecentMap<number[]>;
  blocks: RecentMap<string[]>;
  agents: RecentMap<AgentCall>;
  edits: RecentMap<[tool: string, path: string]>;
  /** Queued prompts taken into a turn: times by digest of the text, and their `user` records by `uuid:…`. */
  queued: RecentMap<number>;
}

/**
 * Ids of the last answer and of the last answer before the current prompt, and of the current and the previous prompt.
 */
export interface Voice {
  last: string | null;
  before: string | null;
  prompt: string | null;
  earlier: string | null;
}

const LIMITS = {
  prompts: 128,
  calls: 512,
  enqueued: 32,
  responses: 64,
  blocks: 8,
  agents: 128,
  edits: 64,
  queued: 16,
};

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
    stop: null,
    silentVersion: null,
    absorbed: false,
    command: "none",
    goal: { active: null, awaited: null },
    compaction: "none",
    shell: null,
    replay: null,
    prompts: new Recent(LIMITS.prompts),
    newest: null,
    fork: false,
    attaches: false,
    voice: { last: null, before: null, prompt: null, earlier: null },
    entry: "unknown",
    titles: { human: null, agent: null },
    calls: new Recent(LIMITS.calls),
    enqueued: new Recent(LIMITS.enqueued),
    passage: "none",
    waiting: [],
    responses: new RecentMap(LIMITS.responses),
    blocks: new RecentMap(LIMITS.blocks),
    agents: new RecentMap(LIMITS.agents),
    edits: new RecentMap(LIMITS.edits),
    queued: new RecentMap(LIMITS.queued),
    parked: freshParked(),
    ...freshChain(),
  };
}
