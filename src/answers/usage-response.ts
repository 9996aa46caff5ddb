import type { SessionRef, Tokens } from "../format/record.ts";
import { tokensIn } from "../format/tokens.ts";
import { within, type TimeRange } from "../time/range.ts";
import { turnName, type Session } from "../turns/session.ts";
import type { KnownCost } from "./pricing/cost.ts";
import type { PriceTable } from "./pricing/price-table.ts";
import { order } from "../text/order.ts";

/** One response that counts, where and when it was given. */
export interface UsageResponse extends SessionRef, Tokens {
  time: number | null;
  model: string | null;
  /** Null when it has no price. */
  cost: KnownCost | null;
}

/** The same with its name and the turn that answers for it, which may be of another session: `source/session/T0001`. */
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
          ...{ source, session_id, model, time, ...tokensIn(event), cost: prices.costOf(event) },
          ...{ response_id, owner: owner && turnName(owner) },
        };
      }),
  );
}

/** Ties are ordered by what is said of them, so that the order is the same however they were read. */
export function byTime(a: UsageResponse, b: UsageResponse): number {
  return (a.time ?? -Infinity) - (b.time ?? -Infinity) || order(keyOf(a), keyOf(b));
}

function keyOf(one: UsageResponse): string {
  return [one.source, one.session_id, one.model, one.output_tokens, one.input_tokens, one.cached_input_tokens].join(
    " ",
  );
}
