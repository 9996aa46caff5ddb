import type { ToolFinishedBody, ToolStartedBody } from "../log/record.ts";
import type { ToolCall, TurnDraft } from "./model.ts";

/** Longest string kept of a call's input; the file itself has the rest. */
const KEEP = 16 * 1024;

/** Tool calls of one file, matched by call id: outputs come in any order and sometimes more than once. */
export class ToolLedger {
  readonly calls: ToolCall[] = [];
  readonly #byId = new Map<string, ToolCall>();
  readonly #inputs: boolean;

  constructor(inputs: boolean, saved: readonly ToolCall[] = []) {
    this.#inputs = inputs;
    for (const call of saved) {
      this.calls.push(call);
      this.#byId.set(call.call_id, call);
    }
  }

  start(body: ToolStartedBody, line: number, time: number | null, turn: number | null): void {
    const known = this.#byId.get(body.call_id);
    // A later statement of the same call (a structured item after the raw one) only fills what was missing.
    if (known && known.end_line === null && known.name === body.name) return;
    const call: ToolCall = {
      turn,
      call_id: body.call_id,
      parent_call_id: body.parent_call_id ?? null,
      name: body.name,
      input: this.#inputs ? clip(body.input) : null,
      status: "pending",
      settled: false,
      exit_code: null,
      duration_ms: null,
      started_at: time,
      ended_at: null,
      start_line: line,
      end_line: null,
      error: null,
    };
    this.calls.push(call);
    this.#byId.set(body.call_id, call);
  }

  /** Returns the call, or null for a result whose call was never written (a killed or cut file). */
  finish(body: ToolFinishedBody, line: number, time: number | null): ToolCall | null {
    const call = this.#byId.get(body.call_id);
    if (!call) return null;
    call.status = body.status;
    call.settled = body.status !== "pending";
    call.exit_code = body.exit_code ?? call.exit_code;
    call.duration_ms = body.duration_ms ?? call.duration_ms;
    call.ended_at = time ?? call.ended_at;
    call.end_line = line;
    if (body.error !== undefined) call.error = body.error === null ? null : ownCopy(body.error);
    return call;
  }

  get(callId: string): ToolCall | null {
    return this.#byId.get(callId) ?? null;
  }

  /**
   * A call without a result: still pending while its turn is open at the end of the file; interrupted when the turn ended
   * or something newer was asked, because nothing will settle it any more.
   */
  settleOpen(turns: readonly TurnDraft[]): void {
    for (const call of this.calls) {
      if (call.settled || call.end_line !== null) continue;
      const turn = call.turn === null ? undefined : turns[call.turn];
      if (!turn) continue;
      if (turn.index < turns.length - 1 || turn.outcome !== "open") call.status = "interrupted";
    }
  }
}

/** A cut of a long string keeps the whole string in memory; what is held for the life of the session must stand alone. */
function ownCopy(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}

/** Bounds what one call may hold in memory. Strings anywhere in the value are cut, the shape is kept. */
function clip(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length <= KEEP
      ? value
      : ownCopy(`${value.slice(0, KEEP)} …[${value.length - KEEP} characters left out]`);
  }
  if (Array.isArray(value)) return value.map(clip);
  if (typeof value === "object" && value !== null) {
    const out: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) out[key] = clip(inner);
    return out;
  }
  return value;
}
