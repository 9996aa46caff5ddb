import type { ToolFinishedBody, ToolStartedBody } from "../record/record.ts";
import { expectedExitOf, isExpectedOutput } from "../base/shell/no-hit.ts";
import type { ToolCall } from "./model.ts";
import type { Slices } from "./slices.ts";
import type { TurnLedger } from "./turn-ledger.ts";

/** Longest string kept of a call's input; the native file has the rest. */
const KEEP_STRING = 16 * 1024;

/** Tool calls of one file, matched by call id: outputs come in any order and sometimes more than once. */
export class ToolLedger {
  readonly calls: Slices<ToolCall>;
  /** Indexes of the calls that no record settled, with their turns. */
  readonly unsettled: Map<number, number | null>;
  readonly #detail: boolean | "whole";

  constructor(detail: boolean | "whole", calls: Slices<ToolCall>, unsettled: readonly [number, number | null][] = []) {
    this.#detail = detail;
    this.calls = calls;
    this.unsettled = new Map(unsettled);
  }

  start(body: ToolStartedBody, line: number, time: number | null, turn: number | null): void {
    const known = this.get(body.call_id);
    // A later statement of an open call (a structured item after the raw one) adds nothing that is used here.
    if (known && known.end_line === null && known.name === body.name) return;
    const isWhole = this.#detail === "whole";
    const keepsInput = isWhole || !holdsLong(body.input);
    this.unsettled.set(this.calls.length, turn);
    this.calls.push({
      turn,
      call_id: body.call_id,
      parent_call_id: body.parent_call_id ?? null,
      name: body.name,
      input: this.#detail ? (keepsInput ? body.input : clip(body.input)) : null,
      status: "pending",
      settled: false,
      exit_code: null,
      // A caller that continues a session reads the results of calls itself.
      answers: isWhole ? null : this.#detail && keepsInput ? "unread" : expectedExitOf(body.name, body.input),
      duration_ms: null,
      started_at: time,
      ended_at: null,
      start_line: line,
      end_line: null,
      error: null,
    });
  }

  /**
   * Returns the call; null for a result whose call has not been read yet, or is missing because the file was cut off.
   */
  finish(body: ToolFinishedBody, line: number, time: number | null): ToolCall | null {
    const index = this.calls.find(body.call_id);
    const call = index === undefined ? undefined : this.calls.change(index);
    if (index === undefined || !call) return null;
    call.status = body.status;
    call.settled = body.status !== "pending";
    call.exit_code = body.exit_code ?? call.exit_code;
    call.duration_ms = body.duration_ms ?? call.duration_ms;
    call.ended_at = time ?? call.ended_at;
    call.end_line = line;
    if (call.status === "pending" || mayBeExpected(call)) checkAnswer(call, body.output ?? body.error);
    if (body.error !== undefined) call.error = body.error === null ? null : ownCopy(body.error);
    if (this.#detail === "whole") call.result = call.result ? { ...call.result, ...body } : body;
    if (call.settled) this.unsettled.delete(index);
    else this.unsettled.set(index, call.turn);
    return call;
  }

  get(callId: string): ToolCall | null {
    const index = this.calls.find(callId);
    return index === undefined ? null : (this.calls.at(index) ?? null);
  }

  /** Whether the turn has a call without a result. */
  isWaiting(turn: number): boolean {
    for (const owner of this.unsettled.values()) if (owner === turn) return true;
    return false;
  }

  /** Turns with a call that no record settled. */
  turnsWithOpenCalls(): Set<number | null> {
    return new Set(this.unsettled.values());
  }

  /**
   * Sets the status of calls without a result: pending while their turn is open at the end of the file; interrupted if
   * the turn ended or another one followed it, because nothing will settle them any more. `some` limits this to turns whose
   * outcome may have changed.
   */
  settleOpen(turns: TurnLedger, some?: ReadonlySet<number>): void {
    for (const [index, owner] of this.unsettled) {
      if (owner === null || some?.has(owner) === false) continue;
      const turn = turns.at(owner);
      const call = this.calls.change(index);
      if (!turn || !call || call.end_line !== null) continue;
      call.status = !turns.isLive(owner) || turn.outcome !== "open" ? "interrupted" : "pending";
    }
  }
}

/** A non-zero exit that is an ordinary answer: a search without a hit, files that differ, a condition that does not hold. */
export function isExpectedExit(call: ToolCall): boolean {
  return mayBeExpected(call) && call.answers !== null;
}

function mayBeExpected({ status, exit_code }: ToolCall): boolean {
  return status === "failed" && exit_code === 1;
}

/**
 * Only for calls that failed or may still fail: parsing every command and output would cost as much as reading them.
 */
function checkAnswer(call: ToolCall, said: string | null | undefined): void {
  if (call.answers === "unread") call.answers = expectedExitOf(call.name, call.input);
  if (call.answers && typeof said === "string" && !isExpectedOutput(call.answers, said)) call.answers = null;
}

/**
 * A slice of a long string keeps the whole string in memory; values held as long as the session must be independent
 * copies.
 */
function ownCopy(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}

/** True if `clip` would change the value. */
function holdsLong(value: unknown): boolean {
  if (typeof value === "string") return value.length > KEEP_STRING;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsLong);
}

/**
 * Limits the memory one call may use: strings anywhere in the value are cut, its shape is kept. Recursion is bounded,
 * because parsed values are never nested deeper than `MAX_DEPTH`.
 */
function clip(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length <= KEEP_STRING
      ? value
      : ownCopy(`${value.slice(0, KEEP_STRING)} …[${value.length - KEEP_STRING} characters left out]`);
  }
  if (Array.isArray(value)) return value.map(clip);
  // `Object.fromEntries` instead of assignments: a field may be called `__proto__`.
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clip(inner)]));
  return value;
}
