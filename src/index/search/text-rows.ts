import type { Row } from "../../base/io/sqlite.ts";
import type { IndexStore } from "../tables/index-store.ts";

/** A row of `doc`: one text that can be found. */
export interface DocRow {
  id: number;
  file: number;
  line: number;
  time: number | null;
  at: number;
  bytes: number;
}

/** So many ids are looked up in one statement. */
const TOGETHER = 20_000;

const FROM = "FROM json_each(?) j CROSS JOIN doc d ON d.id = j.value";

/** The rows of these texts, as far as the conditions on `doc d` hold. `most`: so many of each lookup, in this order. */
export function rowsOf(
  store: IndexStore,
  ids: readonly number[],
  where: readonly string[],
  first: { order: string; most: number } | null = null,
): Row[] {
  const end = first === null ? "" : ` ORDER BY ${first.order} LIMIT ${first.most}`;
  return lots(ids).flatMap((lot) => store.all(`SELECT d.* ${FROM}${conditions(where)}${end}`, JSON.stringify(lot)));
}

/** How many of these texts there are, counted up to `most`. */
export function countRows(store: IndexStore, ids: readonly number[], where: readonly string[], most: number): number {
  if (where.length === 0) return Math.min(ids.length, most);
  let count = 0;
  for (const lot of lots(ids)) {
    const sql = `SELECT count(*) AS n FROM (SELECT 1 ${FROM}${conditions(where)} LIMIT ?)`;
    count += Number(store.get(sql, JSON.stringify(lot), most - count)?.["n"]);
    if (count >= most) break;
  }
  return count;
}

/** The texts that were added last. */
export function newestOf(store: IndexStore, ids: readonly number[], where: readonly string[], most: number): DocRow[] {
  const found: DocRow[] = [];
  for (const lot of lots(ids.toReversed())) {
    if (found.length >= most) break;
    const sql = `SELECT d.id, d.file, d.line, d.at, d.bytes, d.time ${FROM}${conditions(where)} LIMIT ?`;
    for (const row of store.list(sql, JSON.stringify(lot), most - found.length)) {
      const [id = 0, file = 0, line = 0, at = 0, bytes = 0] = row.map(Number);
      found.push({ id, file, line, at, bytes, time: row[5] === null ? null : Number(row[5]) });
    }
  }
  return found;
}

function conditions(where: readonly string[]): string {
  return where.length === 0 ? "" : ` WHERE ${where.join(" AND ")}`;
}

function lots(ids: readonly number[]): number[][] {
  const lots: number[][] = [];
  for (let from = 0; from < ids.length; from += TOGETHER) lots.push(ids.slice(from, from + TOGETHER));
  return lots;
}
