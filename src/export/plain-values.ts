import type { OwnedResponse } from "../answers/usage-response.ts";

/** Formats want an object where agents write what they like. */
export function jsonObject(input: unknown): object {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  return input === null || input === undefined ? {} : { input };
}

/** The formats of others count what was read from and written to a cache with the prompt. */
export function promptTokens(response: OwnedResponse): number {
  return response.input_tokens + response.cached_input_tokens + response.cache_write_tokens;
}
