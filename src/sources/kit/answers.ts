import type { GivenAnswer } from "../contract.ts";

/** Parses answers from a text in which each answer follows the key of its question; null when no key occurs. */
export function answersAfterKeys(
  output: string,
  keys: readonly string[],
  read: (segment: string, isLast: boolean) => GivenAnswer,
): (GivenAnswer | null)[] | null {
  const found = segments(output, keys);
  return found?.map((segment) => (segment === null ? null : read(segment.text, segment.last))) ?? null;
}

/**
 * The text after each key up to the next key: the questions are known, so an answer ends where another question begins.
 * A key that occurs twice could be a quotation, so its answer is not read.
 */
function segments(output: string, keys: readonly string[]): ({ text: string; last: boolean } | null)[] | null {
  const places = keys.map((key) => output.indexOf(key));
  if (places.every((at) => at === -1)) return null;
  return keys.map((key, i) => {
    const at = places[i] ?? -1;
    if (at === -1 || output.includes(key, at + key.length)) return null;
    const next = Math.min(...places.filter((other) => other > at));
    return { text: output.slice(at + key.length, next), last: next === Infinity };
  });
}
