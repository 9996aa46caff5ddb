import type { UsageBody } from "../format/record.ts";
import { restated, saysMore } from "../format/restated.ts";
import { totalTokens } from "../format/tokens.ts";
import type { TokenBalance, UsageEvent } from "./model.ts";
import type { Slices } from "./slices.ts";

/** A response as it is known now, and as it was known before. */
export interface Spent {
  event: UsageEvent;
  before: UsageEvent | null;
}

/** Every statement of usage in one file, and what each counted for. A response is counted once, as its statements say together. */
export class UsageLedger {
  readonly balance: TokenBalance = { tokens_read: 0, counted: 0, duplicates: 0, inherited: 0, estimates: 0 };
  readonly events: Slices<UsageEvent>;

  constructor(events: Slices<UsageEvent>, balance?: TokenBalance) {
    this.events = events;
    if (balance) Object.assign(this.balance, balance);
  }

  /** Returns the response as it is known now and as it was before; null when the statement is only booked. */
  add(body: UsageBody, line: number, time: number | null, turn: number | null): Spent | null {
    const tokens = totalTokens(body);
    this.balance.tokens_read += tokens;
    if (body.verdict === "duplicate") this.balance.duplicates += tokens;
    else if (body.verdict === "estimate") this.balance.estimates += tokens;
    else return this.#take(stated(body, line, time, turn), tokens);
    return null;
  }

  #take(event: UsageEvent, tokens: number): Spent {
    const index = this.events.find(event.response_id);
    const before = index === undefined ? undefined : this.events.at(index);
    this.#book(before, event, tokens);
    if (index === undefined || before === undefined) {
      this.events.push(event);
      return { event, before: null };
    }
    const now = restated(before, event);
    this.events.replace(index, now);
    return { event: now, before };
  }

  /** The statement whose numbers count is counted, each other one stays what it was. */
  #book(known: UsageEvent | undefined, event: UsageEvent, tokens: number): void {
    const { balance } = this;
    const isCopy = event.copied !== undefined;
    const before = known ? totalTokens(known) : 0;
    if (known === undefined || known.copied !== undefined) {
      if (isCopy) balance.inherited += tokens;
      else if (known === undefined || !saysMore(known, event)) balance.counted += tokens;
      else {
        // A copy said more of it than the session itself does.
        balance.inherited -= before;
        balance.counted += before;
        balance.duplicates += tokens;
      }
    } else if (saysMore(event, known)) {
      balance.counted += tokens - before;
      balance.duplicates += before;
    } else if (isCopy) balance.inherited += tokens;
    else balance.duplicates += tokens;
  }
}

/** A NUL, which a crashed file system leaves, and half a pair. */
const NO_NAME = /[\0\p{Cs}]/u;
const EACH = new RegExp(NO_NAME, "gu");

/** A name as SQLite can keep it: a text ends for it at a NUL, and half a pair it cannot write. */
export function nameOf(text: string): string {
  return NO_NAME.test(text) ? text.replace(EACH, "\uFFFD") : text;
}

/** A statement by itself. Made for every one there is, so without detours. */
export function stated(body: UsageBody, line: number, time: number | null, turn: number | null): UsageEvent {
  const event: UsageEvent = {
    response_id: nameOf(body.response_id),
    model: body.model === null ? null : nameOf(body.model),
    time,
    line,
    turn,
    input_tokens: body.input_tokens,
    cached_input_tokens: body.cached_input_tokens,
    cache_write_tokens: body.cache_write_tokens,
    cache_write_1h_tokens: body.cache_write_1h_tokens,
    output_tokens: body.output_tokens,
    reasoning_tokens: body.reasoning_tokens,
  };
  if (body.verdict === "inherited") event.copied = true;
  if (body.cut === true) event.cut = true;
  return event;
}
