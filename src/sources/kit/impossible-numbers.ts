import type { RecordBody, UnreadableBody } from "../../format/record.ts";

/** Name of the rule that reports impossible numbers. */
export const IMPOSSIBLE_NUMBER = "impossible_number";

/** More than any response can have, and small enough that sums of thousands of them stay exact. */
const MOST_TOKENS = 1e12;

/** Impossible numbers found in the current record: a reader handles one record at a time. */
let rejected = 0;

/** Whether a value is a possible token count or absent. */
export function isTokenCount(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "number" && value >= 0 && value <= MOST_TOKENS);
}

/** The token count as an integer; 0 for an impossible value, which is then reported with the current record. */
export function tokenCountOf(value: unknown): number {
  if (isTokenCount(value)) return Math.trunc(Number(value ?? 0));
  rejected++;
  return 0;
}

/** Called before each record: numbers rejected during look-ahead are counted when their own record is read. */
export function resetImpossibleNumbers(): void {
  rejected = 0;
}

/** Adds an `unreadable` record to the entry if some of its numbers were impossible. */
export function reportImpossibleNumbers<T extends { records: readonly RecordBody[] }>(entry: T): T {
  if (rejected === 0) return entry;
  const hint = "a number of tokens that is negative, no number, or larger than any can be is not counted";
  const body: UnreadableBody = { type: "unreadable", reason: IMPOSSIBLE_NUMBER, bytes: 0, hint };
  rejected = 0;
  return { ...entry, records: [...entry.records, body] };
}
