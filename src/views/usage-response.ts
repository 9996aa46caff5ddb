import type { SessionRef, Tokens } from "../record/record.ts";
import { tokensIn } from "../record/tokens.ts";
import { within, type TimeRange } from "../base/time/range.ts";
import { keyOfTurn, type Session } from "../turns/session.ts";
import type { KnownCost } from "./pricing/cost.ts";
import type { PriceTable } from "./pricing/price-table.ts";
import { order } from "../base/text/order.ts";

/** One counted response with its session and time. */
export interface UsageResponse extends SessionRef, Tokens {
  time: number | null;
  model: string | null;
  /** Null when its model has no price. */
  cost: KnownCost | null;
}

/** A response with its id and the turn that owns it, possibly of another session: `source/session/T0001`. */
export interface OwnedResponse extends UsageResponse {
  response_id: string;
  owner: string | null;
}

export function responsesOf(sessions: readonly Session[], range: TimeRange, prices: PriceTable): OwnedResponse[] {
  return sessions.flatMap(({ source, session_id, usage }) =>
    usage
      .filter(({ event }) => within(range, event.time))
      .map(({ event, owner }) => {
        const { model, time, response_id } = event;
        return {
          source,
          session_id,
          model,
          time,
          ...tokensIn(event),
          cost: prices.costOf(event),
          response_id,
          owner: owner && keyOfTurn(owner),
        };
      }),
  );
}

/** Ties are ordered by content, so that the order does not depend on how the responses were read. */
export function byTime(a: UsageResponse, b: UsageResponse): number {
  return (a.time ?? -Infinity) - (b.time ?? -Infinity) || order(keyOf(a), keyOf(b));
}

function keyOf(one: UsageResponse): string {
  return [one.source, one.session_id, one.model, one.output_tokens, one.input_tokens, one.cached_input_tokens].join(
    " ",
  );
}
