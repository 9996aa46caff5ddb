import type { TimedTokens } from "../../record/record.ts";
import { splitCost } from "../../views/pricing/cost.ts";
import type { PriceTable } from "../../views/pricing/price-table.ts";
import { UsageSum, type UsageView } from "../../views/usage-sum.ts";

/** Tokens as a team store returns them. */
export interface StoredTokens {
  session_id: string;
  turn: number | null;
  model: string;
  input: string;
  cached: string;
  written: string;
  written_1h: string;
  output: string;
  reasoning: string;
  pico: string | null;
}

/** A sum of responses of one model. */
export interface StoredSum extends StoredTokens {
  /** Number of responses without a price, which `pico` does not include. */
  unpriced: string;
}

export function spentTokens(row: StoredTokens, time: number | null): TimedTokens {
  return {
    time,
    model: row.model === "" ? null : row.model,
    input_tokens: Number(row.input),
    cached_input_tokens: Number(row.cached),
    cache_write_tokens: Number(row.written),
    cache_write_1h_tokens: Number(row.written_1h),
    output_tokens: Number(row.output),
    reasoning_tokens: Number(row.reasoning),
  };
}

/** What these sums add up to. */
export function sumOf(rows: readonly StoredSum[], prices: PriceTable): UsageView {
  const total = new UsageSum(prices);
  for (const row of rows) {
    const known = row.pico === null ? null : splitCost(Number(row.pico));
    total.add(spentTokens(row, null), known && Number(row.unpriced) > 0 ? { ...known, lacking: true } : known);
  }
  return total.view();
}
