import type { RemovedDays } from "../../views/not-pushed.ts";
import { Zone } from "../../base/time/zone.ts";
import type { Sql } from "../store/transaction.ts";
import { MARK_COLUMNS, marksFromRow, type AgedKind, type RetentionMarks, type MarkRow } from "./policy.ts";

/** What a store has removed, for questions about days that are affected. */
export interface RemovedBefore {
  marks: RetentionMarks;
  /** The first complete day. */
  day: (aged: AgedKind) => string | null;
}

export async function removedBefore(sql: Sql): Promise<RemovedBefore> {
  const { rows } = await sql.query<MarkRow & { zone: string }>(`SELECT zone, ${MARK_COLUMNS} FROM daybook.stores`);
  const [row] = rows;
  const marks = marksFromRow(row);
  const day = (aged: AgedKind): string | null => {
    const at = marks[aged];
    return at === null || !row ? null : new Zone(row.zone).day(at.getTime());
  };
  return { marks, day };
}

/** The same in days; null if nothing was removed. */
export async function removedDays(sql: Sql): Promise<RemovedDays | null> {
  const { day } = await removedBefore(sql);
  const days = { texts: day("texts"), calls: day("calls"), turns: day("turns") };
  return Object.values(days).every((one) => one === null) ? null : days;
}

/**
 * Why there is less data for older days; null if nothing of them was removed. `since`: the start of the requested
 * range.
 */
export function removedNote(
  { marks, day }: RemovedBefore,
  since: Date | null,
  words: Partial<Record<AgedKind, string>>,
): string | null {
  const said = (["turns", "calls", "texts"] as const).flatMap((aged) => {
    const [at, what] = [marks[aged], words[aged]];
    if (at === null || what === undefined || (since !== null && since >= at)) return [];
    return [`${what} before ${day(aged)}`];
  });
  return said.length === 0 ? null : `${said.join(" and ")} were removed by retention`;
}
