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

/**
 * JSON that every reader takes. Half of a pair of surrogates, as a text that was cut may end in, is no character: strict readers refuse
 * the escape that stands for it, so the sign for what cannot be read takes its place.
 */
export function unicodeJson(value: unknown): string {
  const json = JSON.stringify(value) ?? "null";
  if (!json.includes(String.raw`\ud`)) return json;
  // Escapes are taken one by one, so that the backslash of another is not taken for the beginning of one.
  return json.replaceAll(/\\(?:(ud[89a-f][0-9a-f]{2})|.)/g, (escape, half?: string) =>
    half === undefined ? escape : "\ufffd",
  );
}
