import type { UsageView } from "../usage-sum.ts";
import type { ModelUsage } from "../usage-view.ts";
import { totalTokens, type CountedTokens } from "../../record/tokens.ts";

/** Token counts with the field names of `ccusage`. */
export interface FourTokens {
  cacheCreationTokens: number;
  cacheReadTokens: number;
  inputTokens: number;
  outputTokens: number;
}

export interface ModelBreakdown extends FourTokens {
  modelName: string;
  cost?: number;
  missingPricing?: true;
}

export interface CcusageTotals extends FourTokens {
  totalTokens: number;
  totalCost?: number;
  unpricedModels?: string[];
}

export interface CcusageRow extends FourTokens {
  totalTokens: number;
  totalCost?: number;
  modelsUsed: string[];
  modelBreakdowns: ModelBreakdown[];
}

export function fourTokens(usage: CountedTokens): FourTokens {
  return {
    cacheCreationTokens: usage.cache_write_tokens,
    cacheReadTokens: usage.cached_input_tokens,
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
  };
}

/** The known cost; `missingPricing` and `unpricedModels` tell when it is incomplete. */
export function knownCost(usage: Pick<UsageView, "cost_usd">): number {
  return usage.cost_usd ?? 0;
}

export function rowOf(usage: UsageView, breakdown: readonly ModelUsage[], withCost: boolean): CcusageRow {
  return {
    ...fourTokens(usage),
    modelBreakdowns: breakdown.map((model) => breakdownOf(model, withCost)),
    modelsUsed: usage.models,
    ...(withCost ? { totalCost: knownCost(usage) } : {}),
    totalTokens: totalTokens(usage),
  };
}

function breakdownOf(model: ModelUsage, withCost: boolean): ModelBreakdown {
  return {
    ...fourTokens(model),
    ...(withCost ? { cost: knownCost(model) } : {}),
    ...(model.unpriced_models.length > 0 ? { missingPricing: true as const } : {}),
    modelName: model.model,
  };
}

export function totalsOf(usage: UsageView, withCost: boolean): CcusageTotals {
  return {
    ...fourTokens(usage),
    ...(withCost ? { totalCost: knownCost(usage) } : {}),
    totalTokens: totalTokens(usage),
    ...(usage.unpriced_models.length > 0 ? { unpricedModels: usage.unpriced_models } : {}),
  };
}
