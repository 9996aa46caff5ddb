import type { Tokens, UsageBody } from "../../record/record.ts";
import { count, obj, str, type Native } from "../kit/native.ts";

/** Equal if two copies of a message state the same numbers. */
export function tokensKey(record: Native): string {
  const tokens = obj(record["tokens"]);
  return tokens ? Object.values(tokensOf(tokens)).join(",") : "";
}

/** The usage a message states: once per message id, however often the message is written. */
export function usageOf(record: Native, verdict: UsageBody["verdict"]): UsageBody[] {
  const tokens = obj(record["tokens"]);
  const id = str(record["id"]);
  if (!tokens || id === null) return [];
  return [{ type: "usage", response_id: id, model: str(record["model"]), verdict, ...tokensOf(tokens) }];
}

/**
 * The API's own counts under shorter names: `input` is the whole prompt including cached tokens, `output` excludes
 * `thoughts`, and `tool` (prompts of tools run by the provider) is not part of `input`; `total` is the sum of all.
 */
function tokensOf(tokens: Native): Tokens {
  const prompt = count(tokens["input"]);
  const cached = Math.min(count(tokens["cached"]), prompt);
  const thoughts = count(tokens["thoughts"]);
  return {
    input_tokens: prompt - cached + count(tokens["tool"]),
    cached_input_tokens: cached,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    output_tokens: count(tokens["output"]) + thoughts,
    reasoning_tokens: thoughts,
  };
}
