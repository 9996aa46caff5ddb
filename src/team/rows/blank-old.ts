import { DETAIL_KINDS, TABLES, type Cell, type RowBatch, type HeadRow, type TableName } from "./tables.ts";

/** Tables whose rows have a number and a time. */
const TIMED = ["turns", "tool_calls", "decisions"] as const;
/** The table each kind of finished view describes. */
const ABOUT: readonly ((typeof TIMED)[number] | null)[] = DETAIL_KINDS.map((kind) => {
  if (kind === "turn") return "turns";
  if (kind === "call") return "tool_calls";
  return kind === "decision" ? "decisions" : null;
});

/**
 * Blanks texts older than `before` in rows for a store that would remove them anyway, so that they are not sent in
 * vain. Which rows exist, and their fingerprints, stay the same; the store removes them when all have arrived.
 */
export function* blankOld(
  batches: Iterable<RowBatch>,
  before: number,
  { started, ended }: Pick<HeadRow, "started" | "ended">,
): Generator<RowBatch, void, undefined> {
  const isOld = (time: Cell): boolean => {
    const at = typeof time === "string" ? time : (ended ?? started);
    return at !== null && Date.parse(at) < before;
  };
  const old: Record<string, Set<Cell>> = {};
  for (const batch of batches) {
    const column = columnsOf(batch);
    if (batch.table === "texts") {
      const times = column("ts");
      yield blanked(batch, ["body", "terms"], (i) => isOld(times[i] ?? null));
      continue;
    }
    if (batch.table === "details") {
      const [kinds, numbers] = [column("kind"), column("n")];
      yield blanked(batch, ["body"], (i) => {
        const about = ABOUT[Number(kinds[i])] ?? null;
        return about === null ? isOld(null) : (old[about]?.has(numbers[i] ?? null) ?? false);
      });
      continue;
    }
    if (batch.table === "facts") {
      const numbers = column("n");
      yield blanked(batch, ["body"], (i) =>
        numbers[i] === 0 ? isOld(null) : (old["turns"]?.has(numbers[i] ?? null) ?? false),
      );
      continue;
    }
    // These tables come before the rows that describe them.
    const table = TIMED.find((name) => name === batch.table);
    if (table !== undefined) {
      const [numbers, known] = [column("n"), (old[table] ??= new Set())];
      for (const [i, time] of column("ts").entries()) if (isOld(time)) known.add(numbers[i] ?? null);
    }
    yield batch;
  }
}

function columnsOf({ table, columns }: RowBatch): (name: string) => Cell[] {
  return (name) => columns[placeOf(table, name)] ?? [];
}

function placeOf(table: TableName, name: string): number {
  return Object.keys(TABLES[table].columns).indexOf(name);
}

function blanked(batch: RowBatch, names: readonly string[], isBlank: (row: number) => boolean): RowBatch {
  const places = new Set(names.map((name) => placeOf(batch.table, name)));
  const columns = batch.columns.map((cells, at) =>
    places.has(at) ? cells.map((cell, i) => (isBlank(i) ? "" : cell)) : cells,
  );
  return { table: batch.table, columns };
}
