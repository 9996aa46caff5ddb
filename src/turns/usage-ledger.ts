import type { UsageBody } from "../record/record.ts";
import { mergeStatements, isLargerStatement } from "../record/merge-statements.ts";
import { totalTokens } from "../record/tokens.ts";
import type { TokenBalance, UsageEvent } from "./model.ts";
import type { Slices } from "./slices.ts";

/** A response in its present and its previous state. */
export interface UsageChange {
  event: UsageEvent;
  before: UsageEvent | null;
}

/**
 * Every statement of usage in one file, and how it was counted. A response counts once, with the combined numbers of
 * its statements.
 */
export class UsageLedger {
  readonly balance: TokenBalance = { tokens_read: 0, counted: 0, duplicates: 0, inherited: 0, estimates: 0 };
  readonly events: Slices<UsageEvent>;

  constructor(events: Slices<UsageEvent>, balance?: TokenBalance) {
    this.events = events;
    if (balance) Object.assign(this.balance, balance);
  }

  /** Returns the present and previous state of the response; null if the statement only affects the balance. */
  add(body: UsageBody, line: number, time: number | null, turn: number | null): UsageChange | null {
    const tokens = totalTokens(body);
    this.balance.tokens_read += tokens;
    if (body.verdict === "duplicate") this.balance.duplicates += tokens;
    else if (body.verdict === "estimate") this.balance.estimates += tokens;
    else return this.#take(toUsageEvent(body, line, time, turn), tokens);
    return null;
  }

  #take(event: UsageEvent, tokens: number): UsageChange {
    const index = this.events.find(event.response_id);
    const before = index === undefined ? undefined : this.events.at(index);
    this.#book(before, event, tokens);
    if (index === undefined || before === undefined) {
      this.events.push(event);
      return { event, before: null };
    }
    const now = mergeStatements(before, event);
    this.events.replace(index, now);
    return { event: now, before };
  }

  /** The statement whose numbers are used is counted; every other one keeps its category. */
  #book(known: UsageEvent | undefined, event: UsageEvent, tokens: number): void {
    const { balance } = this;
    const isCopy = event.copied !== undefined;
    const before = known ? totalTokens(known) : 0;
    if (known === undefined || known.copied !== undefined) {
      if (isCopy) balance.inherited += tokens;
      else if (known === undefined || !isLargerStatement(known, event)) balance.counted += tokens;
      else {
        // A copy stated larger numbers than the session itself does.
        balance.inherited -= before;
        balance.counted += before;
        balance.duplicates += tokens;
      }
    } else if (isLargerStatement(event, known)) {
      balance.counted += tokens - before;
      balance.duplicates += before;
    } else if (isCopy) balance.inherited += tokens;
    else balance.duplicates += tokens;
  }
}

/** NUL, which a crashed file system leaves behind, and unpaired surrogates. */
const NO_NAME = /[\0\p{Cs}]/u;
const EACH = new RegExp(NO_NAME, "gu");

/** A name SQLite can store: it ends a text at a NUL and cannot write an unpaired surrogate. */
export function storableName(text: string): string {
  return NO_NAME.test(text) ? text.replace(EACH, "\uFFFD") : text;
}

/** Converts a single statement. Called for every statement, so it builds the object directly. */
export function toUsageEvent(body: UsageBody, line: number, time: number | null, turn: number | null): UsageEvent {
  const event: UsageEvent = {
    response_id: storableName(body.response_id),
    model: body.model === null ? null : storableName(body.model),
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
