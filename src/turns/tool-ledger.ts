import type { ToolFinishedBody, ToolStartedBody } from "../format/record.ts";
import { answersByExit, isOnlyAnswer } from "../shell/no-hit.ts";
import type { ToolCall } from "./model.ts";
import type { Slices } from "./slices.ts";
import type { TurnLedger } from "./turn-ledger.ts";

/** Longest string kept of a call's input; the file itself has the rest. */
const KEEP = 16 * 1024;

/** Tool calls of one file, matched by call id: outputs come in any order and sometimes more than once. */
export class ToolLedger {
  readonly calls: Slices<ToolCall>;
  /** Calls that no record settled, with their turns. */
  readonly unsettled: Map<number, number | null>;
  readonly #detail: boolean | "whole";

  constructor(detail: boolean | "whole", calls: Slices<ToolCall>, unsettled: readonly [number, number | null][] = []) {
    this.#detail = detail;
    this.calls = calls;
    this.unsettled = new Map(unsettled);
  }

  start(body: ToolStartedBody, line: number, time: number | null, turn: number | null): void {
    const known = this.get(body.call_id);
    // A later statement of the same call (a structured item after the raw one) only fills what was missing.
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
      // Whoever goes on with a session reads what the call gave back itself.
      answers: isWhole ? null : this.#detail && keepsInput ? "unread" : answersByExit(body.name, body.input),
      duration_ms: null,
      started_at: time,
      ended_at: null,
      start_line: line,
      end_line: null,
      error: null,
    });
  }

  /** Returns the call, or null for a result whose call has not been written, or never will be (a killed or cut file). */
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
    if (call.status === "pending" || mayBeExpected(call)) readAnswer(call, body.output ?? body.error);
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

  /** Turns with a call that no record settled. */
  hanging(): Set<number | null> {
    return new Set(this.unsettled.values());
  }

  /**
   * A call without a result: still pending while its turn is open at the end of the file; interrupted when the turn ended
   * or something newer was asked, because nothing will settle it any more. Of all turns, or of some whose outcome may have
   * changed.
   */
  settleOpen(turns: TurnLedger, some?: ReadonlySet<number>): void {
    for (const [index, owner] of this.unsettled) {
      if (owner === null || some?.has(owner) === false) continue;
      const turn = turns.at(owner);
      const call = this.calls.change(index);
      if (!turn || !call || call.end_line !== null) continue;
      call.status = owner < turns.length - 1 || turn.outcome !== "open" ? "interrupted" : "pending";
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

/** Only of a call that failed, or may yet: taking every command and output apart would cost as much as reading them. */
function readAnswer(call: ToolCall, said: string | null | undefined): void {
  if (call.answers === "unread") call.answers = answersByExit(call.name, call.input);
  if (call.answers && typeof said === "string" && !isOnlyAnswer(call.answers, said)) call.answers = null;
}

/** A cut of a long string keeps the whole string in memory; what is held for the life of the session must stand alone. */
function ownCopy(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}

/** Whether `clip` would change something. */
function holdsLong(value: unknown): boolean {
  if (typeof value === "string") return value.length > KEEP;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsLong);
}

/** Bounds what one call may hold in memory. Strings anywhere in the value are cut, the shape is kept. No deeper than `DEEPEST`. */
function clip(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length <= KEEP
      ? value
      : ownCopy(`${value.slice(0, KEEP)} …[${value.length - KEEP} characters left out]`);
  }
  if (Array.isArray(value)) return value.map(clip);
  // Not assigned one by one: a field may have the name of the prototype's.
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clip(inner)]));
  return value;
}
