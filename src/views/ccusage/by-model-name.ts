import type { UsageView } from "../usage-sum.ts";
import type { ModelUsage } from "../usage-view.ts";
import { fourTokens, knownCost, type FourTokens } from "./tokens.ts";
import { totalTokens } from "../../record/tokens.ts";

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
