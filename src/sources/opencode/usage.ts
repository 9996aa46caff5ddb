import type { UsageBody } from "../../log/record.ts";
import { count, num, obj, type Native } from "./native.ts";

/** What a step or a message states about its tokens; null when it states nothing (killed before the answer was complete). */
export function usageOf(tokens: Native | null, responseId: string, model: string | null): UsageBody | null {
  if (!tokens) return null;
  const cache = obj(tokens["cache"]);
  const input = count(tokens["input"]);
  const read = count(cache?.["read"]);
  const write = count(cache?.["write"]);
  const reasoning = count(tokens["reasoning"]);
  const stated = count(tokens["output"]);
  if (input + read + write + reasoning + stated === 0) return null;
  // Output excludes reasoning, except where the provider's own total shows that it was left inside.
  const inside = reasoning > 0 && reasoning <= stated && num(tokens["total"]) === input + read + write + stated;
  return {
    type: "usage",
    response_id: responseId,
    model,
    input_tokens: input,
    cached_input_tokens: read,
    cache_write_tokens: write,
    cache_write_1h_tokens: 0,
    output_tokens: inside ? stated : stated + reasoning,
    reasoning_tokens: reasoning,
    verdict: "counted",
  };
}
