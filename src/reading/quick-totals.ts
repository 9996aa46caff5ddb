import type { CompactedBody, UsageTotalBody } from "../format/record.ts";
import { restated } from "../format/restated.ts";
import type { Statement, UsageEvent } from "../turns/model.ts";
import { StatedLedger } from "../turns/stated-ledger.ts";

/** The totals of one file whose responses are told one by one, without their lines. */
export class QuickTotals {
  readonly #ledger = new StatedLedger();
  readonly #responses = new Map<string, UsageEvent>();
  #place = 0;

  get statements(): Statement[] {
    return this.#ledger.statements;
  }

  /** Stands for the line of what is told next: what comes after a total has a larger one. */
  get place(): number {
    return this.#place + 1;
  }

  spent(statement: UsageEvent): void {
    const before = this.#responses.get(statement.response_id) ?? null;
    const event = before ? restated(before, statement) : statement;
    if (statement.cut) event.cut = true;
    this.#responses.set(statement.response_id, event);
    this.#ledger.spent({ event, before }, statement.time);
  }

  take(body: UsageTotalBody | CompactedBody, time: number | null): void {
    if (body.type === "compacted") this.#ledger.worked(time);
    else this.#ledger.take(body, ++this.#place, 0, () => this.#responses.values());
  }
}
