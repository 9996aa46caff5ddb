import type { StoredContents } from "../../answers/daybook.ts";
import { sizeOf, type TableSize } from "./batches.ts";
import { blankOld } from "./blank-old.ts";
import { digest, Fingerprint } from "./ids.ts";
import { headOf, sessionRows, type RowOptions } from "./session-rows.ts";
import type { RowBatch, HeadRow, TableName } from "./tables.ts";

/** Bytes of rows kept in memory until they are sent; the rows of a larger session are computed a second time. */
const HELD = 16_000_000;

/** A session as it would be sent, with its fingerprint. */
export interface PreparedRows {
  head: HeadRow;
  sizes: Partial<Record<TableName, TableSize>>;
  batches: () => Iterable<RowBatch>;
}

/**
 * The fingerprint covers everything that would be sent, so it changes with it, and is the same on every machine.
 * Texts that become too old for the store do not change it. `textsBefore`: older texts are left empty, in ms.
 */
export function prepare(
  whole: StoredContents,
  how: RowOptions,
  { held = HELD, textsBefore = null }: { held?: number; textsBefore?: number | null } = {},
): PreparedRows {
  const head = headOf(whole, how);
  const fingerprint = new Fingerprint();
  fingerprint.add(digest(JSON.stringify(head)));
  const sizes: Partial<Record<TableName, TableSize>> = {};
  let kept: RowBatch[] | null = [];
  let bytes = 0;
  const rows = (): Iterable<RowBatch> => {
    const all = sessionRows(whole, how);
    return textsBefore === null ? all : blankOld(all, textsBefore, head);
  };
  for (const batch of rows()) {
    const size = sizeOf(batch);
    const known = sizes[batch.table] ?? { rows: 0, bytes: 0 };
    sizes[batch.table] = { rows: known.rows + size.rows, bytes: known.bytes + size.bytes };
    fingerprint.add(batch.table);
    for (const cell of digestsOf(batch)) fingerprint.add(cell);
    bytes += size.bytes;
    if (bytes > held) kept = null;
    kept?.push(batch);
  }
  const batches = kept;
  return {
    head: { ...head, hash: fingerprint.digest() },
    sizes,
    batches: () => batches ?? rows(),
  };
}

/** Uses the fingerprints of rows that have one, otherwise the whole content. */
function* digestsOf({ table, columns }: RowBatch): Generator<string, void, undefined> {
  if (table === "usage_responses") yield digest(JSON.stringify(columns));
  else for (const cell of columns.at(-1) ?? []) yield String(cell);
}
