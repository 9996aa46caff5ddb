import type { SessionContents } from "../../daybook.ts";
import { sizeOf, type TableSize } from "./batches.ts";
import { blankOld } from "./blank-old.ts";
import { digest, Fingerprint } from "./ids.ts";
import { headOf, sessionRows, type RowOptions } from "./session-rows.ts";
import type { RowBatch, SessionHead, TableName } from "./tables.ts";

/** Bytes of rows that are held until they are sent; of a larger session they are made a second time. */
const HELD = 16_000_000;

/** A session as it would leave, with its fingerprint. */
export interface PreparedSession {
  head: SessionHead;
  sizes: Partial<Record<TableName, TableSize>>;
  batches: () => Iterable<RowBatch>;
}

/**
 * The fingerprint is that of all that would leave, so it changes whenever that does, and is the same on every machine. That texts grow
 * too old for the store does not change it. `textsBefore`: what is older of them is left empty, in ms.
 */
export function prepare(
  whole: SessionContents,
  how: RowOptions,
  { held = HELD, textsBefore = null }: { held?: number; textsBefore?: number | null } = {},
): PreparedSession {
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

/** Of rows that carry a fingerprint, those; of the others all that is in them. */
function* digestsOf({ table, columns }: RowBatch): Generator<string, void, undefined> {
  if (table === "usage_responses") yield digest(JSON.stringify(columns));
  else for (const cell of columns.at(-1) ?? []) yield String(cell);
}
