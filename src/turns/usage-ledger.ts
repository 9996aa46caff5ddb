import type { UsageBody } from "../log/record.ts";
import { totalTokens, type TokenBalance, type UsageEvent } from "./model.ts";
import type { Slices } from "./slices.ts";

/** Every statement of usage in one file, and what each counted for. A response is counted once, with its latest numbers. */
export class UsageLedger {
  readonly balance: TokenBalance = { tokens_read: 0, counted: 0, duplicates: 0, inherited: 0, estimates: 0 };
  readonly events: Slices<UsageEvent>;

  constructor(events: Slices<UsageEvent>, balance?: TokenBalance) {
    this.events = events;
    if (balance) Object.assign(this.balance, balance);
  }

  add(body: UsageBody, line: number, time: number | null, turn: number | null): void {
    const tokens = totalTokens(body);
    this.balance.tokens_read += tokens;
    if (body.verdict === "duplicate") this.balance.duplicates += tokens;
    else if (body.verdict === "inherited") this.balance.inherited += tokens;
    else if (body.verdict === "estimate") this.balance.estimates += tokens;
    else this.#count(body, tokens, line, time, turn);
  }

  #count(body: UsageBody, tokens: number, line: number, time: number | null, turn: number | null): void {
    const index = this.events.find(body.response_id);
    const known = index === undefined ? undefined : this.events.at(index);
    if (known && totalTokens(known) > tokens) {
      // A late partial copy never lowers what a complete one stated.
      this.balance.duplicates += tokens;
      return;
    }
    if (known) {
      const before = totalTokens(known);
      this.balance.duplicates += before;
      this.balance.counted += tokens - before;
    } else this.balance.counted += tokens;
    const event: UsageEvent = {
      response_id: body.response_id,
      model: body.model ?? known?.model ?? null,
      // The first statement says when it was spent and by whom; later ones only complete the numbers.
      time: known ? known.time : time,
      line: known ? known.line : line,
      turn: known ? known.turn : turn,
      input_tokens: body.input_tokens,
      cached_input_tokens: body.cached_input_tokens,
      cache_write_tokens: body.cache_write_tokens,
      cache_write_1h_tokens: body.cache_write_1h_tokens,
      output_tokens: body.output_tokens,
      reasoning_tokens: body.reasoning_tokens,
    };
    if (index === undefined) this.events.push(event);
    else this.events.replace(index, event);
  }
}
