import { crc32 } from "node:zlib";

/**
 * Every row of a ledger ends with a CRC-32 checksum of the text before it: `…,SUM]` in rows of native records,
 * `…,"sum":SUM}` in all others. A changed byte damages only the row it is in.
 */
const SUMMED = /^(.+),(?:"sum":)?(\d{1,10})[\]}]$/s;

export function checksum(bytes: string | Buffer, before = 0): number {
  return crc32(bytes, before);
}

/** A row of a native record. */
export function rowWithChecksum(fields: readonly unknown[]): string {
  const text = JSON.stringify(fields).slice(0, -1);
  return `${text},${checksum(text)}]\n`;
}

/** Any other row. */
export function objectWithChecksum(fields: object): string {
  const text = JSON.stringify(fields).slice(0, -1);
  return `${text},"sum":${checksum(text)}}\n`;
}

/** Whether a row is as it was written; null when it has no checksum, as in the first format. */
export function isIntact(row: string): boolean | null {
  const [, text, sum] = SUMMED.exec(row) ?? [];
  if (text === undefined || sum === undefined) return null;
  if (checksum(text) === Number(sum)) return true;
  // Rows of the first format end with the number of records, which looks like a checksum.
  return fieldsOf(row) === FIRST_FIELDS ? null : false;
}

/** Fields of a native record's row in the first format. */
const FIRST_FIELDS = 8;

function fieldsOf(row: string): number | null {
  try {
    const value: unknown = JSON.parse(row);
    return Array.isArray(value) ? value.length : null;
  } catch {
    return null;
  }
}
