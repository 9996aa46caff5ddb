import type { SessionRef, TimedTokens } from "../record/record.ts";
import { keyOfTurn, type Session } from "../turns/session.ts";
import type { PriceTable } from "./pricing/price-table.ts";
import { order } from "../base/text/order.ts";

/**
 * A response of a model that counts in this session: in lists and exports, as a row of the index, on its way to a team
 * store and back.
 */
export interface CountedResponse extends SessionRef, TimedTokens {
  response_id: string;
  /** The human turn that owns it, possibly of another session: `source/session/T0001`. */
  owner: string | null;
  /** When that turn was asked for. */
  owner_time: number | null;
  /** Cost in pico-dollars; null when the model has no price. */
  pico: number | null;
}

export function responsesOf({ source, session_id, usage }: Session, prices: PriceTable): CountedResponse[] {
  return usage.map(({ event, owner }) => ({
    source,
    session_id,
    response_id: event.response_id,
    time: event.time,
    model: event.model,
    input_tokens: event.input_tokens,
    cached_input_tokens: event.cached_input_tokens,
    cache_write_tokens: event.cache_write_tokens,
    cache_write_1h_tokens: event.cache_write_1h_tokens,
    output_tokens: event.output_tokens,
    reasoning_tokens: event.reasoning_tokens,
    owner: owner && keyOfTurn(owner),
    owner_time: owner?.draft.trigger.time ?? null,
    pico: prices.cost(event.model, event, event.time),
  }));
}

/** Ties are ordered by content, so that the order does not depend on how the responses were read. */
export function byTime(a: CountedResponse, b: CountedResponse): number {
  return (a.time ?? -Infinity) - (b.time ?? -Infinity) || order(keyOf(a), keyOf(b));
}

function keyOf(one: CountedResponse): string {
  return [one.source, one.session_id, one.model, one.output_tokens, one.input_tokens, one.cached_input_tokens].join(
    " ",
  );
}
