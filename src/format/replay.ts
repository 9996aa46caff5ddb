import { DaybookError } from "../errors.ts";
import { Conversation } from "./conversation.ts";
import type {
  CancelledBody,
  ChildLinkedBody,
  ContextBody,
  GitState,
  LogRecord,
  Origin,
  RecordEnvelope,
  SessionMetaBody,
  UnreadableBody,
} from "./record.ts";
import { shortUsage } from "./short-usage.ts";
import { ToolTrack } from "./replay-tools.ts";
import { outcomes, TurnTrack } from "./replay-turn.ts";
import { UsageTrack } from "./replay-usage.ts";
import type { ChildState, ContextState, MetaState, SessionState, Settings } from "./state.ts";

/** Takes records in the order of `seq`; `state()` may be asked at any time and is not changed by later records. */
export interface Replay {
  /** Throws when a record does not come after the one before. */
  push(record: LogRecord): void;
  state(): SessionState;
}

/**
 * Records → session state. Depends on nothing but the records: their order is their `seq`, whatever order they are given
 * in, and of two records with one `seq` the first given counts. For large logs `createReplay` needs no list of them.
 */
export function replay(records: Iterable<LogRecord>): SessionState {
  const session = createReplay();
  let last = -1;
  for (const record of [...records].sort((a, b) => a.seq - b.seq)) {
    if (record.seq === last) continue;
    last = record.seq;
    session.push(record);
  }
  return session.state();
}

export function createReplay(): Replay {
  return new SessionReplay();
}

class SessionReplay implements Replay {
  readonly #turns = new Map<string, TurnTrack>();
  readonly #tools = new ToolTrack();
  readonly #usage = new UsageTrack();
  readonly #conversation = new Conversation();
  readonly #children = new Map<string, ChildState>();
  readonly #unknown = new Map<string, number>();
  readonly #unreadable = new Map<string, number>();
  readonly #context: ContextState = emptyContext();
  #newest: TurnTrack | null = null;
  #meta: MetaState | null = null;
  #title: string | null = null;
  #titleBy: "human" | "agent" | null = null;
  #archived = false;
  #sessionId: string | null = null;
  #records = 0;
  #lastSeq = -1;
  #firstTime: string | null = null;
  #lastTime: string | null = null;
  #compactions = 0;
  #unreadableBytes = 0;

  push(record: LogRecord): void {
    if (record.seq <= this.#lastSeq) {
      throw new DaybookError(`record ${record.seq} comes after record ${this.#lastSeq}`, {
        code: "invalid",
        op: "replay log",
        hint: "push records in the order of seq, or give them all to replay()",
      });
    }
    this.#lastSeq = record.seq;
    this.#sessionId ??= record.session_id;
    this.#records++;
    if (record.time !== null) {
      // Clocks jump: the span is from the earliest to the latest time, not from the first to the last record.
      if (this.#firstTime === null || record.time < this.#firstTime) this.#firstTime = record.time;
      if (this.#lastTime === null || record.time > this.#lastTime) this.#lastTime = record.time;
    }
    const turn = this.#turnOf(record);
    turn?.touch(record);
    this.#apply(record, turn);
    this.#conversation.take(record);
  }

  state(): SessionState {
    const tracks = [...this.#turns.values()];
    const ends = outcomes(tracks, this.#tools.hanging());
    const turns = tracks.map((turn, i) => turn.state(ends[i] ?? "open"));
    const takenBack = new Set(turns.flatMap((turn) => (turn.taken_back === null ? [] : [turn.turn_id])));
    return {
      session_id: this.#sessionId,
      records: this.#records,
      last_seq: this.#lastSeq,
      first_time: this.#firstTime,
      last_time: this.#lastTime,
      meta: this.#meta && { ...this.#meta },
      title: this.#title,
      title_by: this.#titleBy,
      archived: this.#archived,
      context: { ...this.#context },
      turns,
      tools: this.#tools.state(turns),
      orphan_settlements: this.#tools.orphans,
      messages: this.#conversation.messages(takenBack),
      usage: this.#usage.state(turns),
      children: [...this.#children.values()].map((child) => ({ ...child })),
      compactions: this.#compactions,
      unknown: { count: sum(this.#unknown), types: Object.fromEntries(this.#unknown) },
      unreadable: {
        count: sum(this.#unreadable),
        bytes: this.#unreadableBytes,
        reasons: Object.fromEntries(this.#unreadable),
      },
    };
  }

  #turnOf(record: LogRecord): TurnTrack | null {
    if (record.turn_id === undefined) return null;
    let turn = this.#turns.get(record.turn_id);
    if (!turn) {
      turn = new TurnTrack(record.turn_id, record.seq, settings(this.#context));
      this.#turns.set(record.turn_id, turn);
      this.#newest = turn;
    }
    return turn;
  }

  #apply(record: LogRecord, turn: TurnTrack | null): void {
    const isNewest = turn === this.#newest;
    switch (record.type) {
      case "session_meta":
        return this.#header(record);
      case "context":
        return this.#contextChanged(record, turn);
      case "user":
        return turn?.user(record);
      case "assistant_started":
      case "reasoning_finished":
        return turn?.work(false, isNewest);
      case "assistant_finished": {
        const usage = shortUsage(record, record);
        if (usage) this.#usage.add({ ...record, ...usage });
        return turn?.said(record, isNewest);
      }
      case "tool_started":
        this.#tools.start(record);
        // A call inside a call is not the agent's own next step.
        if (!record.parent_call_id) turn?.work(false, isNewest);
        return;
      case "tool_finished":
        turn?.settled();
        return this.#tools.finish(record);
      case "usage":
        return this.#usage.add(record);
      case "usage_total":
        return this.#usage.says(record);
      case "compacted":
        this.#compactions++;
        return;
      case "child_linked":
        return this.#link(record);
      case "cancelled":
        return this.#cancelled(record, turn);
      case "failed":
        return turn?.failed(record);
      case "session_renamed":
        return this.#rename(record.title, record.by);
      case "session_archived":
        this.#archived = record.archived;
        return;
      case "unknown":
        return bump(this.#unknown, record.native_type);
      case "unreadable":
        return this.#notReadable(record);
    }
  }

  /** Null in a header means "not stated": what an earlier header said stays. */
  #header(record: SessionMetaBody): void {
    const old = this.#meta;
    this.#meta = {
      source: record.source,
      kind: record.kind,
      cwd: record.cwd ?? old?.cwd ?? null,
      started_at: record.started_at ?? old?.started_at ?? null,
      agent_version: record.agent_version ?? old?.agent_version ?? null,
      originator: record.originator ?? old?.originator ?? null,
      provider: record.provider ?? old?.provider ?? null,
      model: record.model ?? old?.model ?? null,
      title: record.title ?? old?.title ?? null,
      parent: record.parent ?? old?.parent ?? null,
      parent_turn_id: record.parent_turn_id ?? old?.parent_turn_id ?? null,
      role: record.role ?? old?.role ?? null,
      forked_from: record.forked_from ?? old?.forked_from ?? null,
      forked_at: record.forked_at ?? old?.forked_at ?? null,
      git: mergeGit(old?.git ?? null, record.git),
    };
    if (record.title) this.#rename(record.title, "agent");
    this.#context.cwd = record.cwd ?? this.#context.cwd;
    this.#context.model = record.model ?? this.#context.model;
    this.#context.agent_version = record.agent_version ?? this.#context.agent_version;
    this.#context.git = mergeGit(this.#context.git, record.git);
  }

  /** Absent means unchanged; null is a statement of its own. */
  #contextChanged(record: ContextBody & RecordEnvelope, turn: TurnTrack | null): void {
    const c = this.#context;
    if (record.model !== undefined) c.model = record.model;
    if (record.effort !== undefined) c.effort = record.effort;
    if (record.approval_policy !== undefined) c.approval_policy = record.approval_policy;
    if (record.sandbox !== undefined) c.sandbox = record.sandbox;
    if (record.network !== undefined) c.network = record.network;
    if (record.sandbox_excludes !== undefined) c.sandbox_excludes = record.sandbox_excludes;
    if (record.reasoning_summary !== undefined) c.reasoning_summary = record.reasoning_summary;
    if (record.context_window !== undefined) c.context_window = record.context_window;
    if (record.cwd !== undefined) c.cwd = record.cwd;
    if (record.agent_version !== undefined) c.agent_version = record.agent_version;
    if (record.sources !== undefined) c.sources = record.sources;
    if (record.rate_limits !== undefined) c.rate_limits = record.rate_limits;
    c.git = record.git === null ? null : mergeGit(c.git, record.git);
    // Settings stand on either side of the prompt: until the agent has done something they are the turn's own.
    const target = turn ?? (this.#newest?.stated === null ? this.#newest : null);
    if (target && !target.worked) target.context = settings(c);
  }

  #rename(title: string | null, by: "human" | "agent"): void {
    if (by === "agent" && this.#titleBy === "human") return;
    this.#title = title;
    this.#titleBy = title === null ? null : by;
  }

  #link(record: ChildLinkedBody & RecordEnvelope): void {
    const key = JSON.stringify([record.child.source, record.child.session_id]);
    const old = this.#children.get(key);
    const callId = record.call_id ?? old?.call_id ?? null;
    const point = { seq: record.seq, time: record.time, origin: record.origin };
    this.#children.set(key, {
      child: { source: record.child.source, session_id: record.child.session_id },
      relation: record.relation,
      role: record.role ?? old?.role ?? null,
      turn_id: old?.turn_id ?? (callId === null ? null : this.#tools.turnOf(callId)) ?? record.turn_id ?? null,
      call_id: callId,
      spawned: record.phase === "spawned" ? point : (old?.spawned ?? null),
      returned: record.phase === "returned" ? point : (old?.returned ?? null),
    });
  }

  #cancelled(record: CancelledBody & RecordEnvelope, turn: TurnTrack | null): void {
    if (record.reason === "rolled_back") {
      const standing = [...this.#turns.values()].filter((one) => one.takenBack === null);
      for (const one of standing.slice(Math.max(0, standing.length - (record.turns ?? 1))))
        one.takenBack = "rolled_back";
    } else if (record.reason === "rewound") {
      const named = record.from_turn === undefined ? undefined : this.#turns.get(record.from_turn);
      let isBehind = false;
      for (const one of this.#turns.values()) {
        isBehind ||= one === named;
        if ((isBehind && one !== turn) || isRewound(one, record)) one.takenBack = "rewound";
      }
    } else turn?.cancelled(record);
  }

  #notReadable(record: UnreadableBody): void {
    bump(this.#unreadable, record.reason);
    this.#unreadableBytes += record.bytes;
  }
}

/** Between the place named and the one that rewound, in the same file. The request that rewound stays. */
function isRewound(turn: TurnTrack, record: RecordEnvelope & CancelledBody): boolean {
  const { from_seq, from_line } = record;
  if (record.from_turn !== undefined) return false;
  if (from_seq !== undefined) {
    const seq = turn.trigger?.seq ?? -1;
    return seq >= from_seq && seq < record.seq && turn.turnId !== record.turn_id;
  }
  const origin = turn.trigger?.origin;
  const place = positionOf(origin);
  if (from_line === undefined || place === null || place < from_line) return false;
  if (origin?.path !== record.origin.path) return false;
  const here = positionOf(record.origin);
  return here === null ? turn.turnId !== record.turn_id : place < here;
}

function positionOf(origin: Origin | undefined): number | null {
  return origin?.line ?? origin?.row ?? null;
}

function mergeGit(old: GitState | null, more: GitState | null | undefined): GitState | null {
  return more ? { ...old, ...more } : old;
}

function settings({ sources: _s, rate_limits: _r, ...rest }: ContextState): Settings {
  return rest;
}

function emptyContext(): ContextState {
  return {
    model: null,
    effort: null,
    approval_policy: null,
    sandbox: null,
    network: null,
    sandbox_excludes: null,
    reasoning_summary: null,
    context_window: null,
    cwd: null,
    git: null,
    agent_version: null,
    sources: [],
    rate_limits: null,
  };
}

function bump(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, n) => total + n, 0);
}
