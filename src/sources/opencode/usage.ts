import type { UsageBody } from "../../format/record.ts";
import { filled } from "./native.ts";
import { count, num, obj, type Native } from "../kit/native.ts";

/** Where a statement of tokens stands: the message it belongs to and the release that began the session. */
export interface Stated {
  message: Native;
  model: string | null;
  version: string;
}

/** What a step or a message states about its tokens; null when it states nothing (killed before the answer was complete). */
export function usageOf(tokens: Native | null, responseId: string, stated: Stated): UsageBody | null {
  if (!tokens) return null;
  const cache = obj(tokens["cache"]);
  const input = count(tokens["input"]);
  const read = count(cache?.["read"]);
  const write = count(cache?.["write"]);
  const reasoning = count(tokens["reasoning"]);
  const output = count(tokens["output"]);
  const sum = input + read + write + output;
  if (sum + reasoning === 0) return null;
  // Output excludes reasoning, except where the provider's own total shows that it was left inside.
  const total = num(tokens["total"]);
  const inside = reasoning <= output && (total === null ? leftInside(stated) : total === sum);
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
 * Releases up to 1.1.56 wrote no total and took both numbers as their library gave them: with the reasoning inside the
 * output, but for Google's models, which state it beside.
 */
function leftInside({ message, version }: Stated): boolean {
  const [major = 0, minor = 0, patch = 0] = /^\d+\.\d+\.\d+/.exec(version)?.[0].split(".").map(Number) ?? [1, 2];
  const old = major < 1 || (major === 1 && (minor < 1 || (minor === 1 && patch < 58)));
  return old && !/google/i.test(filled(message["providerID"]) ?? "");
}
