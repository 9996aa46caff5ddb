import type { TurnDraft } from "../turns/model.ts";
import { asCount, asFields, type Fields, type OutputMeter } from "./output-meter.ts";

/** Claude Code writes a response in several records, each with the numbers so far: the largest per message counts. */
export class ClaudeOutput implements OutputMeter {
  readonly #messages = new Map<TurnDraft, Map<string, number>>();
  readonly #unsure = new Set<TurnDraft>();

  add(record: Fields, turn: TurnDraft | null): void {
    if (turn === null || record["type"] !== "assistant") return;
    const message = asFields(record["message"]);
    const id = nameOf(message?.["id"]) ?? nameOf(record["uuid"]);
    const tokens = asCount(asFields(message?.["usage"])?.["output_tokens"]);
    if (id === null || tokens === null) {
      this.#unsure.add(turn);
      return;
    }
    const counts = this.#messages.get(turn) ?? new Map<string, number>();
    counts.set(id, Math.max(tokens, counts.get(id) ?? 0));
    this.#messages.set(turn, counts);
  }

  known(turn: TurnDraft): number | null {
    const counts = this.#messages.get(turn);
    if (!counts || this.#unsure.has(turn)) return null;
    return [...counts.values()].reduce((sum, tokens) => sum + tokens, 0);
  }
}

function nameOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
