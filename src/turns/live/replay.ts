import { DaybookError } from "../../base/errors.ts";
import { entryOf, emptyLogState } from "../../record/entries.ts";
import { expandRecord } from "../../record/short-forms.ts";
import type { ContextSource, LogRecord, RateLimits } from "../../record/record.ts";
import { addTokens, noTokens } from "../../record/tokens.ts";
import type { Drift, SourceRef } from "../../agents/contract.ts";
import { iso } from "../../base/time/zone.ts";
import { DraftBuilder } from "../builder.ts";
import { putInForce } from "../instructions.ts";
import type { FileDraft } from "../model.ts";
import { Conversation, type AssistantMessage, type MessageOwner } from "./conversation.ts";
import {
  childState,
  countedResponses,
  lineOf,
  toolState,
  turnState,
  usageState,
  type StatedRequest,
} from "./from-draft.ts";
import type { ChildState, MetaState, SessionState, ToolState, TurnState } from "./state.ts";

/**
 * Computes the session state from records. It depends only on the records: they are ordered by `seq`, in whatever order
 * they are given, and of two records with the same `seq` the first given counts. For large logs, `createReplay` avoids
 * holding them all in a list.
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
  return new Replay();
}

const REF: SourceRef = { source: "log", path: "", size: 0, mtimeMs: 0, container: "jsonl" };
const NO_DRIFT: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };

/**
 * Takes records in the order of `seq`. Runs the turn builder over the records of one log. The builder decides about turns, calls and tokens, as for every
 * other session. In addition, this class collects what is needed to continue the session: the messages, and fields of
 * records that the builder does not use.
 */
export class Replay {
  readonly #memory = emptyLogState();
  readonly #builder = new DraftBuilder(REF, "", { ledger: false, toolDetail: "whole", withoutTraces: true });
  readonly #conversation = new Conversation();
  /** One for each turn, in order. */
  readonly #requests: StatedRequest[] = [];
  readonly #places = new Map<string, number>();
  readonly #orphans = new Set<string>();
  readonly #sources = new Map<string, ContextSource>();
  readonly #unknown = new Map<string, number>();
  readonly #unreadable = new Map<string, number>();
  #limits: RateLimits | null = null;
  #unreadableBytes = 0;
  #compactions = 0;
  #records = 0;
  #lastSeq = -1;
  /** Calls as last reported: most never change again. */
  readonly #calls: ToolState[] = [];
  #state: SessionState | null = null;

  /** Throws if a record does not come after the previous one. */
  push(given: LogRecord): void {
    // A program may pass lines as it parsed them.
    const record = expandRecord(given, this.#memory.session_id);
    if (record.seq <= this.#lastSeq) {
      throw new DaybookError(`record ${record.seq} comes after record ${this.#lastSeq}`, {
        code: "invalid",
        op: "replay log",
        hint: "push records in the order of seq, or give them all to replay()",
      });
    }
    this.#lastSeq = record.seq;
    this.#records++;
    this.#state = null;
    const line = lineOf(record.seq);
    const place = { line, offset: 0, bytes: 0, position: line, native: record.type, tentative: false };
    const owner = this.#builder.push(Object.assign(place, entryOf(record, line, this.#memory)));
    if (this.#builder.lists.turns.length > this.#requests.length) this.#begin(record);
    this.#collect(record);
    this.#conversation.take(record, owner ?? record.turn_id ?? null);
  }

  /** May be called at any time; later records do not change its result. */
  state(): SessionState {
    return (this.#state ??= this.#stateNow());
  }

  #begin(record: LogRecord): void {
    const { turn_id = null, origin } = record;
    if (turn_id !== null) this.#places.set(turn_id, this.#requests.length);
    const { author, native_turn_id = null } = record.type === "user" ? record : { author: "human" };
    this.#requests.push({ turn_id, native_turn_id, origin, author: author === "agent" ? "agent" : "human" });
  }

  #collect(record: LogRecord): void {
    switch (record.type) {
      case "context":
        for (const source of record.sources ?? []) putInForce(this.#sources, source);
        if (record.rate_limits !== undefined) this.#limits = record.rate_limits;
        return;
      case "tool_started":
        this.#orphans.delete(record.call_id);
        return;
      case "tool_finished":
        if (this.#builder.lists.tools.find(record.call_id) === undefined) this.#orphans.add(record.call_id);
        return;
      case "compacted":
        this.#compactions++;
        return;
      case "unknown":
        return bump(this.#unknown, record.native_type);
      case "unreadable":
        bump(this.#unreadable, record.reason);
        this.#unreadableBytes += record.bytes;
        return;
      default:
    }
  }

  #stateNow(): SessionState {
    const draft = this.#builder.draftSoFar(NO_DRIFT);
    const counted = countedResponses(draft);
    const turns = this.#turns(draft, counted);
    const tools = this.#tools(draft);
    const { title, title_by, archived = false } = draft.meta;
    return {
      session_id: this.#memory.session_id,
      records: this.#records,
      last_seq: this.#lastSeq,
      first_time: iso(draft.first_time),
      last_time: iso(draft.last_time),
      meta: this.#meta(draft),
      title,
      title_by,
      archived,
      context: { ...this.#builder.summary.context, sources: [...this.#sources.values()], rate_limits: this.#limits },
      turns,
      tools,
      orphan_settlements: this.#orphans.size,
      messages: this.#conversation.messages((owner) => !turns[this.#placeOf(owner)]?.taken_back),
      usage: usageState(draft, counted),
      children: this.#children(draft, tools),
      compactions: this.#compactions,
      unknown: { count: sum(this.#unknown), types: Object.fromEntries(this.#unknown) },
      unreadable: {
        count: sum(this.#unreadable),
        bytes: this.#unreadableBytes,
        reasons: Object.fromEntries(this.#unreadable),
      },
    };
  }

  #meta({ meta }: FileDraft): MetaState | null {
    const { source } = this.#memory;
    if (source === null) return null;
    const { title: _t, title_by: _b, archived: _a, forked_at = null, ...rest } = meta;
    return { source, ...rest, models: [...rest.models], forked_at };
  }

  #turns({ turns }: FileDraft, counted: ReturnType<typeof countedResponses>): TurnState[] {
    const usage = turns.map(noTokens);
    for (const event of counted) {
      const sum = event.turn === null ? undefined : usage[event.turn];
      if (sum) addTokens(sum, event);
    }
    const spoken = turns.map((): AssistantMessage[] => []);
    for (const [message, owner] of this.#conversation.answers()) spoken[this.#placeOf(owner)]?.push(message);
    return turns.flatMap((draft, i) => {
      const request = this.#requests[i];
      if (!request) return [];
      const stated = this.#builder.lists.turns.at(i)?.ended === true;
      return turnState(draft, request, { assistant: spoken[i] ?? [], stated, usage: usage[i] ?? noTokens() });
    });
  }

  #tools({ tools }: FileDraft): ToolState[] {
    for (const [i, call] of tools.entries()) {
      const known = this.#calls[i];
      const isSame =
        known?.status === call.status && (known.end_seq === null ? null : lineOf(known.end_seq)) === call.end_line;
      if (!isSame) this.#calls[i] = toolState(call, this.#turnId(call.turn));
    }
    return [...this.#calls];
  }

  #children({ children }: FileDraft, tools: readonly ToolState[]): ChildState[] {
    if (children.length === 0) return [];
    const calls = new Map(tools.map(({ start_seq, call_id }) => [start_seq, call_id]));
    return children.map((link) => childState(link, this.#turnId(link.turn), calls));
  }

  #turnId(place: number | null): string | null {
    return place === null ? null : (this.#requests[place]?.turn_id ?? null);
  }

  #placeOf(owner: MessageOwner): number {
    return typeof owner === "number" ? owner : (this.#places.get(owner ?? "") ?? -1);
  }
}

function bump(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, n) => total + n, 0);
}
