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

/* Some agents have rows of their own kind: models keyed by name, and reasoning tokens apart. */

interface WithReasoning extends FourTokens {
  reasoningOutputTokens: number;
  totalTokens: number;
}

/** A row with models keyed by name and separate reasoning tokens. */
export interface NamedRow extends WithReasoning {
  costUSD?: number;
  models: Record<string, WithReasoning & { isFallback: false; missingPricing?: true }>;
}

export interface NamedTotals extends WithReasoning {
  costUSD?: number;
  unpricedModels?: string[];
}

export function namedRowOf(usage: UsageView, breakdown: readonly ModelUsage[], withCost: boolean): NamedRow {
  const models = breakdown.map((model): [string, NamedRow["models"][string]] => [
    model.model,
    {
      ...withReasoning(model),
      // Daybook never guesses a model: the name comes from the session.
      isFallback: false,
      ...(model.unpriced_models.length > 0 ? { missingPricing: true } : {}),
    },
  ]);
  return { ...costOf(usage, withCost), ...withReasoning(usage), models: Object.fromEntries(models) };
}

export function namedTotalsOf(usage: UsageView, withCost: boolean): NamedTotals {
  return {
    ...costOf(usage, withCost),
    ...withReasoning(usage),
    ...(usage.unpriced_models.length > 0 ? { unpricedModels: usage.unpriced_models } : {}),
  };
}

function withReasoning(usage: UsageView): WithReasoning {
  return { ...fourTokens(usage), reasoningOutputTokens: usage.reasoning_tokens, totalTokens: totalTokens(usage) };
}

function costOf(usage: UsageView, withCost: boolean): { costUSD?: number } {
  return withCost ? { costUSD: knownCost(usage) } : {};
}
