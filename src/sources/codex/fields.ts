import { parseJson } from "../../io/json.ts";
import { instant } from "../../io/instant.ts";
/** Untrusted JSON: every field of a session file may be absent or have another type. */
export type Fields = Readonly<Record<string, unknown>>;

export const NONE: Fields = {};

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NONE;
}

export function stringOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A non-empty string. */
export function wordOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** A string that is not blank, as required for names and paths. */
export function nameOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Parses JSON inside a string, as in tool arguments and outputs; null if it is not an object. */
export function parseFields(text: string): Fields | null {
  const start = text.trimStart();
  if (!start.startsWith("{")) return null;
  try {
    const value: unknown = parseJson(start);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

const ZONED = /(?:Z|[+-]\d\d:?\d\d)$/i;

/** Epoch ms of an RFC 3339 time. A time without a zone is meaningless on another machine and therefore ignored. */
export function timeOf(value: unknown): number | null {
  if (typeof value !== "string" || !ZONED.test(value)) return null;
  return instant(Date.parse(value));
}

/** `{secs, nanos}` as Rust writes durations, or plain milliseconds. */
export function durationOf(value: unknown): number | null {
  const plain = numberOf(value);
  if (plain !== null) return Math.round(plain);
  if (!isFields(value)) return null;
  const secs = numberOf(value.secs);
  const nanos = numberOf(value.nanos) ?? 0;
  return secs === null ? null : Math.round(secs * 1000 + nanos / 1e6);
}
