import { createHash } from "node:crypto";
import type { RecordBody } from "../../record/record.ts";
import { instant } from "../../base/io/instant.ts";

/** A JSON object as the agent wrote it; nothing is assumed about its fields. */
export type Native = Record<string, unknown>;

export function obj(value: unknown): Native | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Native) : null;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The items of a list that are objects; all others are skipped. */
export function objects(value: unknown): Native[] {
  const out: Native[] = [];
  for (const item of list(value)) {
    const found = obj(item);
    if (found) out.push(found);
  }
  return out;
}

export function str(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A non-empty text. */
export function nonEmpty(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function num(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A non-negative integer; null for anything else. */
export function wholeCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}

export function millis(value: unknown): number | null {
  const text = str(value);
  return text === null ? null : instant(Date.parse(text));
}

export function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/** A short hash, enough to recognise a text when it occurs again. */
export function digest(text: string): string {
  return createHash("sha1").update(text).digest("base64url").slice(0, 12);
}

/** Name of the rule that reports impossible numbers. */
const IMPOSSIBLE_NUMBER = "impossible_number";

/** More than any response can have, and small enough that sums of thousands of them stay exact. */
const MOST_TOKENS = 1e12;

/** Ten years in ms: longer than any call or turn. */
const LONGEST = 10 * 366 * 24 * 3600 * 1000;

/** More than any share of a limit: some are exceeded many times. */
const MOST_PERCENT = 1e6;

/** Impossible numbers found in the current record: a reader handles one record at a time. */
let rejected = 0;

/** Whether a value is a possible token count or absent. */
export function isTokenCount(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "number" && value >= 0 && value <= MOST_TOKENS);
}

/** The token count as an integer; 0 for an impossible value, which is then reported with the current record. */
export function count(value: unknown): number {
  if (isTokenCount(value)) return Math.trunc(Number(value ?? 0));
  rejected++;
  return 0;
}

/** Called before each record: numbers rejected during look-ahead are counted when their own record is read. */
export function resetImpossibleNumbers(): void {
  rejected = 0;
}

/**
 * The entry without numbers that are impossible; an `unreadable` record then says which. Counts of tokens became 0 when
 * they were read, everything else is unknown.
 */
export function reportImpossibleNumbers<T extends { records: readonly RecordBody[] }>(entry: T): T {
  const names = new Set<string>();
  const records = entry.records.map((body) => withoutImpossible(body, names));
  if (rejected === 0 && names.size === 0) return entry;
  const tokens = "a number of tokens that is negative, no number, or larger than any can be is not counted";
  const others = `impossible, so taken for unknown: ${[...names].join(", ")}`;
  const hint = [...(rejected > 0 ? [tokens] : []), ...(names.size > 0 ? [others] : [])].join("; ");
  rejected = 0;
  return { ...entry, records: [...records, { type: "unreadable", reason: IMPOSSIBLE_NUMBER, bytes: 0, hint }] };
}

/** Names the impossible numbers of the record, and returns it without them. */
function withoutImpossible(body: RecordBody, names: Set<string>): RecordBody {
  const isWrong = (name: string, value: number | null | undefined, most: number, least = 0): boolean => {
    // JSON may hold numbers that are read as infinite.
    const wrong = value !== null && value !== undefined && !(value >= least && value <= most);
    if (wrong) names.add(name);
    return wrong;
  };
  let out = body;
  if ("duration_ms" in out && isWrong("duration_ms", out.duration_ms, LONGEST)) out = { ...out, duration_ms: null };
  if ("exit_code" in out && isWrong("exit_code", out.exit_code, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER))
    out = { ...out, exit_code: null };
  if (out.type === "usage_total" && isWrong("elapsed_ms", out.elapsed_ms, LONGEST)) {
    const { elapsed_ms: _, ...rest } = out;
    out = rest;
  }
  if (out.type !== "context") return out;
  if (isWrong("context_window", out.context_window, MOST_TOKENS)) out = { ...out, context_window: null };
  const limits = out.rate_limits;
  for (const name of ["primary", "secondary"] as const) {
    const window = limits?.[name];
    // Without its share a window says nothing.
    if (isWrong("used_percent", window?.used_percent, MOST_PERCENT))
      out = { ...out, rate_limits: { ...out.rate_limits, [name]: null } };
    else if (window && isWrong("window_minutes", window.window_minutes, LONGEST))
      out = { ...out, rate_limits: { ...out.rate_limits, [name]: { ...window, window_minutes: null } } };
  }
  return out;
}
