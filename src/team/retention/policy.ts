import type { Retention } from "../../views/team.ts";
import { addDays, type Zone } from "../../base/time/zone.ts";

/**
 * What is removed independently: texts with finished views; calls with responses; turns, together with everything
 * that belongs to them.
 */
export const AGED_KINDS = ["texts", "calls", "turns"] as const;
export type AgedKind = (typeof AGED_KINDS)[number];

/** How many days each is kept; null means forever. */
export type Policy = Readonly<Record<AgedKind, number | null>>;

/** Anything older is removed; null if nothing is. */
export type RetentionMarks = Readonly<Record<AgedKind, Date | null>>;

export const NO_MARKS: RetentionMarks = { texts: null, calls: null, turns: null };

/** Columns of `stores`, and of `heads` for the rows of one person. */
export const MARK_COLUMNS = "texts_before, calls_before, turns_before";

export interface MarkRow {
  texts_before: Date | null;
  calls_before: Date | null;
  turns_before: Date | null;
}

export function marksFromRow(row: MarkRow | undefined): RetentionMarks {
  return {
    texts: row?.texts_before ?? null,
    calls: row?.calls_before ?? null,
    turns: row?.turns_before ?? null,
  };
}

export interface PolicyRow extends MarkRow {
  texts_days: number | null;
  calls_days: number | null;
  turns_days: number | null;
}

export const POLICY_COLUMNS: string = `texts_days, calls_days, turns_days, ${MARK_COLUMNS}`;

export function policyFromRow({ texts_days, calls_days, turns_days }: PolicyRow): Policy {
  return { texts: texts_days, calls: calls_days, turns: turns_days };
}

/** The marks of a policy for today, in whole days of the store. */
export function marksOf(policy: Policy, zone: Zone, now: number): RetentionMarks {
  const at = (days: number | null): Date | null =>
    days === null ? null : new Date(zone.startOfDay(addDays(zone.day(now), -days)));
  const turns = at(policy.turns);
  // What belongs to a turn never outlives it.
  return { texts: laterDate(at(policy.texts), turns), calls: laterDate(at(policy.calls), turns), turns };
}

export function laterDate(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

/** Whether `a` removes less than `b`. */
export function removesLess(a: Date | null, b: Date | null): boolean {
  return b !== null && (a === null || a < b);
}

export function retentionFromRow(row: PolicyRow, zone: Zone): Retention {
  const one = (days: number | null, before: Date | null): Retention["texts"] => ({
    days,
    before: before === null ? null : zone.day(before.getTime()),
  });
  return {
    texts: one(row.texts_days, row.texts_before),
    calls: one(row.calls_days, row.calls_before),
    turns: one(row.turns_days, row.turns_before),
  };
}
