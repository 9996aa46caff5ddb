import type { UsageBody } from "../../record/record.ts";
import { messageOf } from "./native.ts";
import { count, obj, str, type Native } from "../kit/native.ts";

/**
 * The usage a record states: assistant messages, and since 0.87 also `usage` records, summaries and tool results that
 * used a model themselves. `input` excludes the cache, `output` includes the reasoning (checked against served
 * numbers).
 */
export function usageOf(record: Native, identity: string, verdict: UsageBody["verdict"]): UsageBody[] {
  const message = messageOf(record);
  const usage = obj(message ? message["usage"] : record["usage"]);
  if (!usage) return [];
  const cache = obj(usage["cache"]);
  const body: UsageBody = {
    type: "usage",
    response_id: str(message?.["responseId"]) ?? identity,
    model: str(message ? message["model"] : record["model"]),
    verdict,
    input_tokens: count(usage["input"]),
    cached_input_tokens: count(usage["cacheRead"] ?? cache?.["read"]),
    cache_write_tokens: count(usage["cacheWrite"] ?? usage["cacheCreation"] ?? cache?.["write"]),
    cache_write_1h_tokens: 0,
    output_tokens: count(usage["output"]),
    reasoning_tokens: count(usage["reasoning"]),
  };
  const spent = body.input_tokens + body.cached_input_tokens + body.cache_write_tokens + body.output_tokens;
  // Requests that failed state zeros.
  return spent > 0 ? [body] : [];
}
