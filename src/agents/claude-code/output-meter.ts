import { zonedTime } from "../../base/io/instant.ts";
import type { OutputMeter } from "../contract.ts";
import { obj, wholeCount, type Native } from "../kit/native.ts";

/** Claude Code writes a response in several records with cumulative numbers: the largest of each message counts. */
export class ClaudeOutputMeter implements OutputMeter {
  readonly #messages = new Map<number, Map<string, number>>();
  readonly #unsure = new Set<number>();

  isTimed(record: Native): boolean {
    return zonedTime(record["timestamp"]) !== null;
  }

  add(record: Native, turn: number | null): void {
    if (turn === null || record["type"] !== "assistant") return;
    const message = obj(record["message"]);
    const id = nameOf(message?.["id"]) ?? nameOf(record["uuid"]);
    const tokens = wholeCount(obj(message?.["usage"])?.["output_tokens"]);
    if (id === null || tokens === null) {
      this.#unsure.add(turn);
      return;
    }
    const counts = this.#messages.get(turn) ?? new Map<string, number>();
    counts.set(id, Math.max(tokens, counts.get(id) ?? 0));
    this.#messages.set(turn, counts);
  }

  known(turn: number): number | null {
    const counts = this.#messages.get(turn);
    if (!counts || this.#unsure.has(turn)) return null;
    return [...counts.values()].reduce((sum, tokens) => sum + tokens, 0);
  }
}

function nameOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
