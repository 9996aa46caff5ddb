import { crc32 } from "node:zlib";

/**
 * Every row of a ledger ends with a checksum (CRC-32) of what stands before it in the row: `…,SUM]` of a native record,
 * `…,"sum":SUM}` of everything else. A changed byte is known by the row it is in, and the rows around it stand.
 */
const SUMMED = /^(.+),(?:"sum":)?(\d{1,10})[\]}]$/s;

export function checksum(bytes: string | Buffer, before = 0): number {
  return crc32(bytes, before);
}

/** A row of a native record. */
export function summedRow(fields: readonly unknown[]): string {
  const text = JSON.stringify(fields).slice(0, -1);
  return `${text},${checksum(text)}]\n`;
}

/** Any other row: what it is called, and what it says. */
export function summedObject(fields: object): string {
  const text = JSON.stringify(fields).slice(0, -1);
  return `${text},"sum":${checksum(text)}}\n`;
}

/** Whether a row is as it was written; null when it carries no checksum, as rows of the first format do not. */
export function isWhole(row: string): boolean | null {
  const [, text, sum] = SUMMED.exec(row) ?? [];
  if (text === undefined || sum === undefined) return null;
  if (checksum(text) === Number(sum)) return true;
  // The number of records ends a row of the first format as a checksum ends others.
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
