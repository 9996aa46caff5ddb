import type { UsageBlock } from "../blocks.ts";
import { knownCost } from "./rows.ts";

/** A block with the field names of `ccusage`. */
export function blockOf(block: UsageBlock): object {
  const { burn_rate: rate, projection, limit } = block;
  return {
    actualEndTime: block.last_response,
    burnRate: rate && {
      costPerHour: rate.cost_usd_per_hour ?? 0,
      tokensPerMinute: rate.tokens_per_minute,
      tokensPerMinuteForIndicator: rate.fresh_tokens_per_minute,
    },
    costUSD: knownCost(block),
    endTime: block.end,
    entries: block.responses,
    id: block.id,
    isActive: block.is_active,
    isGap: block.is_gap,
    models: block.models,
    projection: projection && {
      remainingMinutes: projection.remaining_minutes,
      totalCost: projection.cost_usd ?? 0,
      totalTokens: projection.total_tokens,
    },
    startTime: block.start,
    tokenCounts: {
      cacheCreationInputTokens: block.cache_write_tokens,
      cacheReadInputTokens: block.cached_input_tokens,
      inputTokens: block.input_tokens,
      outputTokens: block.output_tokens,
    },
    ...(limit && projection
      ? {
          tokenLimitStatus: {
            limit: limit.tokens,
            percentUsed: limit.projected_percent,
            projectedUsage: projection.total_tokens,
            status: limit.status,
          },
        }
      : {}),
    totalTokens: block.total_tokens,
  };
}
