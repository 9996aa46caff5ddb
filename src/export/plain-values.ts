import type { CountedResponse } from "../views/response.ts";

/** The formats require an object; agents may record any value. */
export function jsonObject(input: unknown): object {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  return input === null || input === undefined ? {} : { input };
}

/** These formats count cache reads and writes as part of the prompt. */
export function promptTokens(response: CountedResponse): number {
  return response.input_tokens + response.cached_input_tokens + response.cache_write_tokens;
}

/**
 * JSON that strict parsers accept. A truncated text may end in half of a surrogate pair, whose escape strict parsers
 * reject: it is replaced by U+FFFD.
 */
export function unicodeJson(value: unknown): string {
  const json = JSON.stringify(value) ?? "null";
  if (!json.includes(String.raw`\ud`)) return json;
  // Matches whole escapes, so that an escaped backslash is not taken for the beginning of another escape.
  return json.replaceAll(/\\(?:(ud[89a-f][0-9a-f]{2})|.)/g, (escape, half?: string) =>
    half === undefined ? escape : "\ufffd",
  );
}
