import { zonedTime } from "../../io/instant.ts";
import type { OutputMeter } from "../contract.ts";
import { obj, wholeCount, type Native } from "../kit/native.ts";

interface Count {
  /** The running total when the turn began; null when unknown. */
  base: number | null;
  last: number | null;
  generated: boolean;
  /** A total was invalid or smaller than the one before: the difference proves nothing. */
  unsure: boolean;
  /** The model generated something after the newest total. */
  pending: boolean;
  ended: boolean;
}

const GENERATED = new Set(["reasoning", "function_call", "custom_tool_call", "local_shell_call"]);
const ENDS = new Set(["task_complete", "turn_complete", "turn_aborted", "task_failed"]);

/** Codex states running totals of the session. The output of a turn is the difference between two of them. */
export class CodexOutputMeter implements OutputMeter {
  readonly #counts = new Map<number, Count>();
  /** `undefined` before the first total; null after an invalid one. */
  #total: number | null | undefined = undefined;

  isTimed(record: Native): boolean {
    return zonedTime(record["timestamp"]) !== null;
  }

  add(record: Native, turn: number | null): void {
    const payload = obj(record["payload"]);
    const type = payload?.["type"];
    const count = turn === null ? null : this.#countOf(turn);
    if (record["type"] === "response_item") {
      const spoke = type === "message" && payload?.["role"] === "assistant";
      if (count && (spoke || (typeof type === "string" && GENERATED.has(type)))) {
        count.generated = true;
        count.pending = true;
      }
      return;
    }
    if (record["type"] !== "event_msg") return;
    if (count && typeof type === "string" && ENDS.has(type)) count.ended = true;
    // A null `info` carries only rate limits.
    if (type === "token_count" && payload?.["info"] !== null) this.#snapshot(obj(payload?.["info"]), count);
  }

  known(turn: number, isLast: boolean): number | null {
    const count = this.#counts.get(turn);
    if (!count || count.unsure || count.pending || count.base === null || count.last === null) return null;
    if (isLast && !count.ended) return null;
    const tokens = count.last - count.base;
    return tokens === 0 && count.generated ? null : tokens;
  }

  #snapshot(info: Native | null, count: Count | null): void {
    const total = wholeCount(obj(info?.["total_token_usage"])?.["output_tokens"]);
    const before = this.#total;
    this.#total = total;
    if (!count) return;
    count.pending = false;
    if (total === null || (typeof before === "number" && total < before)) count.unsure = true;
    if (count.last === null && before === undefined) {
      // The very first total belongs to this turn only if it equals the last response.
      const response = wholeCount(obj(info?.["last_token_usage"])?.["output_tokens"]);
      count.base = response !== null && response === total ? 0 : null;
    }
    count.last = total;
  }

  #countOf(turn: number): Count {
    const known = this.#counts.get(turn);
    if (known) return known;
    const base = this.#total ?? null;
    const count: Count = { base, last: null, generated: false, unsure: false, pending: false, ended: false };
    this.#counts.set(turn, count);
    return count;
  }
}
