import type { Retention } from "../../answers/team.ts";
import { addDays, type Zone } from "../../time/zone.ts";

/** What is removed for itself: texts with finished answers; calls with responses; turns, which take all that is theirs with them. */
export const AGED = ["texts", "calls", "turns"] as const;
export type Aged = (typeof AGED)[number];

/** For how many days each stays; null for ever. */
export type Policy = Readonly<Record<Aged, number | null>>;

/** What is older is removed; null where nothing is. */
export type Marks = Readonly<Record<Aged, Date | null>>;

export const NO_MARKS: Marks = { texts: null, calls: null, turns: null };

/** Columns of `stores`, and of `heads` as far as a person's rows are concerned. */
export const MARK_COLUMNS = "texts_before, calls_before, turns_before";

export interface MarkRow {
  texts_before: Date | null;
  calls_before: Date | null;
  turns_before: Date | null;
}

export function marksIn(row: MarkRow | undefined): Marks {
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

export function policyIn({ texts_days, calls_days, turns_days }: PolicyRow): Policy {
  return { texts: texts_days, calls: calls_days, turns: turns_days };
}

/** Where a policy is today, in whole days of the store. */
export function marksOf(policy: Policy, zone: Zone, now: number): Marks {
  const at = (days: number | null): Date | null =>
    days === null ? null : new Date(zone.startOfDay(addDays(zone.day(now), -days)));
  const turns = at(policy.turns);
  // What belongs to a turn never outlives it.
  return { texts: later(at(policy.texts), turns), calls: later(at(policy.calls), turns), turns };
}

export function later(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

/** Whether `a` removes less than `b`. */
export function isBefore(a: Date | null, b: Date | null): boolean {
  return b !== null && (a === null || a < b);
}

export function retentionIn(row: PolicyRow, zone: Zone): Retention {
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
