import type { RecordBody, UnreadableBody } from "../../format/record.ts";

/** The rule under which a number that cannot be is reported. */
export const IMPOSSIBLE = "impossible_number";

/** More than any response can have; up to here sums of thousands of them stay exact. */
const MOST_TOKENS = 1e12;

/** Met since the last record was reported. A reader judges one record at a time, so they are that record's. */
let met = 0;

/** Whether a value is a number of tokens, or none is stated. */
export function areTokens(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "number" && value >= 0 && value <= MOST_TOKENS);
}

/** Whole tokens; 0 for what cannot be a number of them, which is reported with the record it stands in. */
export function tokensOf(value: unknown): number {
  if (areTokens(value)) return Math.trunc(Number(value ?? 0));
  met++;
  return 0;
}

/** Before a record is judged: what a look ahead met will be met again. */
export function forgetImpossible(): void {
  met = 0;
}

/** Adds to a record's telling that some of its numbers are not counted. */
export function withImpossible<T extends { records: readonly RecordBody[] }>(entry: T): T {
  if (met === 0) return entry;
  const hint = "a number of tokens that is negative, no number, or larger than any can be is not counted";
  const body: UnreadableBody = { type: "unreadable", reason: IMPOSSIBLE, bytes: 0, hint };
  met = 0;
  return { ...entry, records: [...entry.records, body] };
}
