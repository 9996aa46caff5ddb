import type { AssistantFinishedBody, CancelledBody, FailedBody, Origin, RecordEnvelope, UserBody } from "./record.ts";
import type { AssistantText, Settings, TriggerState, TurnOutcome, TurnState } from "./state.ts";
import { noTokens } from "./tokens.ts";

type At<B> = RecordEnvelope & B;

/** One turn while its records come in. */
export class TurnTrack {
  readonly turnId: string;
  readonly #firstSeq: number;
  readonly #texts: (AssistantText & { origin: Origin })[] = [];
  #lastSeq: number;
  #nativeTurnId: string | null = null;
  #trigger: TriggerState | null = null;
  #triggerRank = 0;
  #endedAt: string | null = null;
  #durationMs: number | null = null;
  #records = 0;
  #detail: string | null = null;
  #stated: TurnOutcome | null = null;
  #worked = false;
  #spokeLast = false;
  #endsStated = false;
  takenBack: TurnState["taken_back"] = null;
  context: Settings;

  constructor(turnId: string, seq: number, context: Settings) {
    this.turnId = turnId;
    this.#firstSeq = seq;
    this.#lastSeq = seq;
    this.context = context;
  }

  get trigger(): Readonly<TriggerState> | null {
    return this.#trigger;
  }

  get worked(): boolean {
    return this.#worked;
  }

  /** How the log says the turn ended; null when it does not say. */
  get stated(): TurnOutcome | null {
    return this.#stated;
  }

  /** As far as nothing says how the turn ended, what was asked is answered. */
  get answered(): boolean {
    return this.#spokeLast && !this.#endsStated;
  }

  touch(record: RecordEnvelope & { native_turn_id?: string | null }): void {
    this.#records++;
    this.#lastSeq = record.seq;
    this.#nativeTurnId ??= record.native_turn_id ?? null;
    if (record.time !== null && (this.#endedAt === null || record.time > this.#endedAt)) this.#endedAt = record.time;
  }

  /** The first human request is the trigger; an agent's one only where no human spoke. A restated line replaces its earlier reading. */
  user(record: At<UserBody>): void {
    if (record.author === "source") return;
    const rank = record.author === "agent" ? 1 : record.kind === undefined ? 2 : 3;
    const restated = this.#trigger !== null && sameNative(this.#trigger.origin, record.origin);
    if (rank < this.#triggerRank || (rank === this.#triggerRank && !restated)) return;
    this.#triggerRank = rank;
    this.#endsStated = record.ends_stated === true;
    this.#trigger = {
      seq: record.seq,
      time: record.time,
      origin: record.origin,
      author: record.author,
      text: record.text,
      kind: record.kind ?? "prompt",
      entry: record.entry ?? "unknown",
      attachments: record.attachments ?? 0,
    };
  }

  /** The agent did something. Output after a normal end means that the turn goes on, as long as nothing newer was asked. */
  work(speaks: boolean, isNewest: boolean): void {
    this.#worked = true;
    this.#spokeLast = speaks;
    if (isNewest && this.#stated === "completed") this.#stated = null;
  }

  settled(): void {
    this.#spokeLast = false;
  }

  said(record: At<AssistantFinishedBody>, isNewest: boolean): void {
    if (record.text !== "" || !record.turn_ended) this.work(true, isNewest);
    if (record.text !== "") this.#addText(record);
    if (!record.turn_ended || this.#isOther(record)) return;
    this.#durationMs = record.duration_ms ?? this.#durationMs;
    // The empty closing note an agent writes after an abort or a failure does not undo it.
    if (record.text === "" && (this.#stated === "aborted" || this.#stated === "failed")) return;
    this.#stated = "completed";
    this.#detail = null;
  }

  /** The end of another native turn, which no prompt began, changes nothing about one that has ended. */
  #isOther({ native_turn_id: named }: { native_turn_id?: string | null }): boolean {
    return this.#stated !== null && !!named && this.#nativeTurnId !== null && named !== this.#nativeTurnId;
  }

  cancelled(record: At<CancelledBody>): void {
    if (this.#isOther(record)) return;
    this.#durationMs = record.duration_ms ?? this.#durationMs;
    this.#stated = "aborted";
    this.#detail = record.reason;
  }

  failed(record: At<FailedBody>): void {
    if (record.turn_ended && this.#isOther(record)) return;
    this.#detail = record.message;
    if (record.turn_ended) this.#stated = "failed";
  }

  state(outcome: TurnOutcome): TurnState {
    return {
      turn_id: this.turnId,
      native_turn_id: this.#nativeTurnId,
      trigger: this.#trigger && { ...this.#trigger },
      first_seq: this.#firstSeq,
      last_seq: this.#lastSeq,
      started_at: this.#trigger?.time ?? null,
      ended_at: this.#endedAt,
      duration_ms: this.#durationMs,
      records: this.#records,
      assistant: this.#texts.map(({ seq, time, message_id, model, text }) => ({ seq, time, message_id, model, text })),
      final_text: this.#texts.at(-1)?.text ?? "",
      outcome,
      outcome_stated: this.#stated !== null,
      outcome_detail: this.#detail,
      taken_back: this.takenBack,
      files: [],
      context: { ...this.context },
      usage: noTokens(),
    };
  }

  #addText(record: At<AssistantFinishedBody>): void {
    const { seq, time, origin, text } = record;
    const id = record.message_id ?? null;
    const next = { seq, time, message_id: id, model: record.model ?? null, text, origin };
    // One message may be written in several native records; only the same part stated again is a correction.
    const i = id === null ? -1 : this.#texts.findLastIndex((t) => t.message_id === id && same(t.origin, origin));
    if (i !== -1) {
      this.#texts[i] = next;
      return;
    }
    // The closing record of a turn may quote the answer that already stands there.
    if (record.turn_ended && id === null && this.#texts.at(-1)?.text === text) return;
    this.#texts.push(next);
  }
}

function same(a: Origin, b: Origin): boolean {
  return a.line === b.line && a.row === b.row && a.path === b.path;
}

function sameNative(a: Origin, b: Origin): boolean {
  return (a.line !== undefined || a.row !== undefined) && same(a, b);
}

/**
 * The outcome of each turn. Where no record states one (old formats have none, killed agents never wrote it) it follows
 * from what came after: a turn steered by the next one shares its fate, a turn in which the agent spoke last is completed once
 * something newer was asked, any other was aborted; the newest is open unless it was answered in a log that never states ends.
 */
export function outcomes(turns: readonly TurnTrack[], hanging: ReadonlySet<string>): TurnOutcome[] {
  const statesEnds = turns.some((turn) => turn.stated !== null);
  const found: TurnOutcome[] = [];
  for (let i = turns.length - 1; i >= 0; i--) {
    const turn = turns[i] as TurnTrack;
    const next = turns[i + 1];
    found[i] = turn.stated ?? inferred(turn, next, found[i + 1] ?? "open", hanging.has(turn.turnId), statesEnds);
  }
  return found;
}

function inferred(
  turn: TurnTrack,
  next: TurnTrack | undefined,
  fate: TurnOutcome,
  hangs: boolean,
  statesEnds: boolean,
): TurnOutcome {
  if (!next) return turn.answered && !hangs && !statesEnds ? "completed" : "open";
  if (next.trigger?.kind === "queued") return fate;
  return turn.answered && !hangs ? "completed" : "aborted";
}
