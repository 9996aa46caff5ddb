import { parseJson } from "../../io/json.ts";
import { type Native, num, obj } from "../kit/native.ts";
import { instant } from "../../io/instant.ts";

/**
 * The shape of OpenCode's records as far as Daybook relies on it: every row is a JSON document that grew with each
 * release, so documents stay `Record<string, unknown>` and are read through accessors.
 */

export const SOURCE_ID = "opencode";

/** A non-empty text. */
export function nonEmpty(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Epoch ms; zero and negative numbers are placeholders, not times. */
export function time(value: unknown): number | null {
  const n = num(value);
  return n !== null && n > 0 ? instant(n) : null;
}

export function parseObject(text: string): Native | null {
  try {
    return obj(parseJson(text));
  } catch {
    return null;
  }
}
