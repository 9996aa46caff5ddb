import type { UsageBody } from "../../record/record.ts";
import { count, nonEmpty, num, obj, type Native } from "../kit/native.ts";

/** The context of a token statement: its message, and the release that created the session. */
export interface UsageOrigin {
  message: Native;
  model: string | null;
  version: string;
}

/** The tokens a step or a message states; null if it states none (killed before the answer was complete). */
export function usageOf(tokens: Native | null, responseId: string, stated: UsageOrigin): UsageBody | null {
  if (!tokens) return null;
  const cache = obj(tokens["cache"]);
  const input = count(tokens["input"]);
  const read = count(cache?.["read"]);
  const write = count(cache?.["write"]);
  const reasoning = count(tokens["reasoning"]);
  const output = count(tokens["output"]);
  const sum = input + read + write + output;
  if (sum + reasoning === 0) return null;
  // Output excludes reasoning, except if the provider's own total shows that it was included.
  const total = num(tokens["total"]);
  const inside = reasoning <= output && (total === null ? outputIncludesReasoning(stated) : total === sum);
  return {
    type: "usage",
    response_id: responseId,
    model: stated.model,
    input_tokens: input,
    cached_input_tokens: read,
    cache_write_tokens: write,
    cache_write_1h_tokens: 0,
    output_tokens: inside ? output : output + reasoning,
    reasoning_tokens: reasoning,
    verdict: "counted",
  };
}

/**
 * Releases up to 1.1.56 wrote no total and used both numbers as their library returned them: with reasoning included in
 * the output, except for Google's models, which state it separately.
 */
function outputIncludesReasoning({ message, version }: UsageOrigin): boolean {
  const [major = 0, minor = 0, patch = 0] = /^\d+\.\d+\.\d+/.exec(version)?.[0].split(".").map(Number) ?? [1, 2];
  const old = major < 1 || (major === 1 && (minor < 1 || (minor === 1 && patch < 58)));
  return old && !/google/i.test(nonEmpty(message["providerID"]) ?? "");
}
