import { EarlyResults } from "./early.ts";
import type { RecordEnvelope, ToolFinishedBody, ToolStartedBody, TouchedFile } from "./record.ts";
import type { ToolState, TurnState } from "./state.ts";

/** Tool calls by call id: settlements come in any order, late, and more than once. */
export class ToolTrack {
  readonly #calls: ToolState[] = [];
  readonly #byId = new Map<string, ToolState>();
  readonly #early = new EarlyResults<RecordEnvelope & ToolFinishedBody>();
  orphans = 0;

  start(record: RecordEnvelope & ToolStartedBody): void {
    const known = this.#byId.get(record.call_id);
    if (known && known.end_seq === null && known.name === record.name) {
      known.input = record.input ?? known.input;
      known.parent_call_id = record.parent_call_id ?? known.parent_call_id;
      return;
    }
    // Ids local to a provider can come again: a settled call with the same id is another call.
    const call: ToolState = {
      call_id: record.call_id,
      turn_id: record.turn_id ?? null,
      parent_call_id: record.parent_call_id ?? null,
      name: record.name,
      input: record.input,
      status: "pending",
      settled: false,
      exit_code: null,
      duration_ms: null,
      started_at: record.time,
      ended_at: null,
      start_seq: record.seq,
      end_seq: null,
      output: null,
      truncated: false,
      error: null,
      files: [],
    };
    this.#calls.push(call);
    this.#byId.set(record.call_id, call);
    const early = this.#early.take(record.call_id);
    if (!early) return;
    this.orphans--;
    this.finish(early);
  }

  finish(record: RecordEnvelope & ToolFinishedBody): void {
    const call = this.#byId.get(record.call_id);
    if (!call) {
      this.orphans++;
      this.#early.hold(record.call_id, record);
      return;
    }
    call.status = record.status;
    call.settled = record.status !== "pending";
    call.exit_code = record.exit_code ?? call.exit_code;
    call.duration_ms = record.duration_ms ?? call.duration_ms;
    call.ended_at = record.time ?? call.ended_at;
    call.end_seq = record.seq;
    if (record.output !== undefined) call.output = record.output;
    if (record.truncated !== undefined) call.truncated = record.truncated;
    if (record.error !== undefined) call.error = record.error;
    if (record.files !== undefined) call.files = record.files;
  }

  turnOf(callId: string): string | null {
    return this.#byId.get(callId)?.turn_id ?? null;
  }

  /** Turns with a call that nothing has settled. */
  hanging(): Set<string> {
    const ids = new Set<string>();
    for (const call of this.#calls) if (!call.settled && call.turn_id !== null) ids.add(call.turn_id);
    return ids;
  }

  /** The calls, with `interrupted` where the turn is over and nothing will settle them any more; tells each turn its files. */
  state(turns: readonly TurnState[]): ToolState[] {
    const byId = new Map(turns.map((turn) => [turn.turn_id, turn]));
    const newest = turns.at(-1);
    return this.#calls.map((call) => {
      const turn = call.turn_id === null ? undefined : byId.get(call.turn_id);
      if (turn && call.status === "ok") for (const file of call.files) touchFile(turn.files, file);
      const over = turn !== undefined && (turn !== newest || turn.outcome !== "open");
      const status = call.end_seq === null && over ? "interrupted" : call.status;
      return { ...call, status, files: [...call.files] };
    });
  }
}

/** What stands at the end of the turn: created and then edited is still created. */
function touchFile(files: TouchedFile[], file: TouchedFile): void {
  const known = files.find((other) => other.path === file.path);
  if (!known) files.push({ ...file });
  else if (file.operation === "deleted" || known.operation === "deleted") known.operation = file.operation;
}
