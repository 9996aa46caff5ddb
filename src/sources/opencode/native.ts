/**
 * The shape of OpenCode's records as far as Daybook relies on it: every row is a JSON document that grew with each
 * release, so documents stay `Record<string, unknown>` and are read through the accessors below.
 */
export type Native = Record<string, unknown>;

export const SOURCE_ID = "opencode";

export function str(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A text with something in it. */
export function filled(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function num(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A token count: anything that is not a finite number of at least zero counts nothing. */
export function count(value: unknown): number {
  const n = num(value);
  return n !== null && n > 0 ? Math.trunc(n) : 0;
}

export function obj(value: unknown): Native | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Native) : null;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Epoch ms; zero and negative numbers are placeholders, not times. */
export function time(value: unknown): number | null {
  const n = num(value);
  return n !== null && n > 0 ? n : null;
}

export function parseObject(text: string): Native | null {
  try {
    return obj(JSON.parse(text));
  } catch {
    return null;
  }
}
