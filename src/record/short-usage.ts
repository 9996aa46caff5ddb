import type { AssistantFinishedBody, RecordEnvelope, UsageBody } from "./record.ts";

/** Expands the short usage of an answer to a `usage` record; null when the answer has none. */
export function shortUsage(
  { usage, message_id, model, request_id }: AssistantFinishedBody,
  { session_id, seq }: Pick<RecordEnvelope, "session_id" | "seq">,
): UsageBody | null {
  if (!usage) return null;
  return {
    type: "usage",
    // Message ids are unique only within their session.
    response_id: `${session_id}:${message_id ?? seq}`,
    model: model ?? null,
    verdict: "counted",
    ...(request_id === undefined ? {} : { request_id }),
    input_tokens: usage.input ?? 0,
    cached_input_tokens: usage.cached_input ?? 0,
    cache_write_tokens: usage.cache_write ?? 0,
    cache_write_1h_tokens: 0,
    output_tokens: usage.output ?? 0,
    reasoning_tokens: usage.reasoning ?? 0,
  };
}
