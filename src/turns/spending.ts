import type { UsageBody, UsageTotalBody } from "../record/record.ts";
import { SLICE_SIZES } from "./lists.ts";
import type { StatedTotal, Statement, TokenBalance, UsageEvent } from "./model.ts";
import { Slices, type SavedSlices, type StoredSlices } from "./slices.ts";
import { StatedLedger, type SavedStated } from "./stated-ledger.ts";
import { UsageLedger } from "./usage-ledger.ts";

export interface SavedSpending {
  tokens: TokenBalance;
  stated: SavedStated;
}

/** The list of responses, indexed by response id. */
export function responseList(rest?: {
  saved: SavedSlices<UsageEvent>;
  slices: StoredSlices<UsageEvent>;
}): Slices<UsageEvent> {
  return new Slices(SLICE_SIZES.usage, (event) => event.response_id, rest);
}

/**
 * What one file says was spent: every response once, and the totals its agent states. The only usage ledger, whether
 * turns are built or not.
 */
export class Spending {
  readonly responses: Slices<UsageEvent>;
  readonly #usage: UsageLedger;
  readonly #stated: StatedLedger;

  constructor(responses: Slices<UsageEvent> = responseList(), saved?: SavedSpending) {
    this.responses = responses;
    this.#usage = new UsageLedger(responses, saved?.tokens);
    this.#stated = new StatedLedger(saved?.stated);
  }

  save(): SavedSpending {
    return { tokens: this.#usage.balance, stated: this.#stated.save() };
  }

  get balance(): TokenBalance {
    return this.#usage.balance;
  }

  /** Totals that include more than the recorded responses. */
  get statements(): Statement[] {
    return this.#stated.statements;
  }

  get total(): StatedTotal | null {
    return this.#stated.total();
  }

  take(body: UsageBody, line: number, time: number | null, turn: number | null): void {
    const spent = this.#usage.add(body, line, time, turn);
    if (spent) this.#stated.addResponse(spent, time);
  }

  takeTotal(body: UsageTotalBody, line: number): void {
    this.#stated.take(body, line, this.#usage.balance.counted, () => this.responses.all());
  }

  /** A total that was copied with another session's history. */
  inherit(body: UsageTotalBody): void {
    this.#stated.inherit(body);
  }

  /** Something was spent at this time, whether or not a record states how much. */
  recordActivity(time: number | null): void {
    this.#stated.recordActivity(time);
  }
}
