/** The tokens of every response, stated in the state of the conversation and not in its events. */
import type { Beside } from "../kit/bundle.ts";
import type { StatedUsage } from "../kit/chat.ts";
import { obj, objects, str } from "../kit/native.ts";
import { tokensIn } from "../kit/tokens.ts";
import { STATE } from "./discover.ts";

const indexes = new WeakMap<Beside, ReadonlyMap<string, StatedUsage>>();

/** By response, whoever asked for it: the agent, the condenser of its history, or a sub-agent. */
export function statedIn(beside: Beside): ReadonlyMap<string, StatedUsage> {
  const known = indexes.get(beside);
  if (known) return known;
  const index = new Map<string, StatedUsage>();
  const users = Object.values(obj(obj(beside.json(STATE)?.["stats"])?.["usage_to_metrics"]) ?? {});
  for (const stated of users.flatMap((user) => objects(obj(user)?.["token_usages"]))) {
    const tokens = tokensIn(stated, {
      input: "prompt_tokens",
      output: "completion_tokens",
      cached: "cache_read_tokens",
      written: "cache_write_tokens",
      reasoning: "reasoning_tokens",
      inputHoldsCache: true,
    });
    const response = str(stated["response_id"]);
    if (response !== null) index.set(response, { tokens, model: modelNamed(stated["model"]), response });
  }
  indexes.set(beside, index);
  return index;
}

/** Models are named as their client does it, behind the provider. */
export function modelNamed(model: unknown): string | null {
  return str(model)?.replace(/^.*\//, "") ?? null;
}
