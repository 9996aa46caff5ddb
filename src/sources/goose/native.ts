/**
 * The shape of Goose's records as far as Daybook relies on it. Columns and content types changed with each schema
 * version, so rows stay `Record<string, unknown>` and are read through the accessors below.
 */
import { parseJson } from "../../io/json.ts";
import { instant } from "../../io/instant.ts";

export type Native = Record<string, unknown>;

export const SOURCE_ID = "goose";

export function str(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A non-empty text. */
export function nonEmpty(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function num(value: unknown): number | null {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function obj(value: unknown): Native | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Native) : null;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Undefined if it cannot be parsed. */
export function parseOrUndefined(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Seconds, or milliseconds if the number is too large for seconds (the same threshold that Goose uses). */
export function timestampOf(value: unknown): number | null {
  const n = num(value);
  if (n === null || n <= 0) return null;
  return instant(n > 10_000_000_000 ? n : n * 1000);
}

/** SQLite's `datetime('now')` is UTC without a zone suffix; imported rows have an offset. */
export function dateOf(value: unknown): number | null {
  const text = str(value)?.trim();
  if (!text) return timestampOf(value);
  const iso = text.replace(" ", "T");
  return instant(Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`));
}
