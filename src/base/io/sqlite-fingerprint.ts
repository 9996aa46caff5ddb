import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** The change counter in the database header, and the salts in the log header. */
const DATABASE_HEAD: Part = { suffix: "", from: 24, bytes: 4 };
const LOG_HEAD: Part = { suffix: "-wal", from: 8, bytes: 16 };
/** The header of the shared memory beside the log: it changes with every commit, even within one clock tick. */
const SHARED_HEAD: Part = { suffix: "-shm", from: 0, bytes: 48 };

interface Part {
  suffix: string;
  from: number;
  bytes: number;
}

/**
 * Identifies the state of a database without opening it, from a few bytes of it and of its log, whatever their size.
 * Equal fingerprints mean that nothing was committed in between. Null when the file does not exist.
 */
export function databaseFingerprint(path: string): string | null {
  const database = fingerprintOf(path, DATABASE_HEAD, true);
  if (database === null) return null;
  // Readers touch the shared memory as well: of that file only the content counts.
  return [database, fingerprintOf(path, LOG_HEAD, true) ?? "", fingerprintOf(path, SHARED_HEAD, false) ?? ""].join("|");
}

function fingerprintOf(path: string, { suffix, from, bytes }: Part, stat: boolean): string | null {
  let file: number;
  try {
    file = openSync(path + suffix, "r");
  } catch {
    return null;
  }
  try {
    const head = Buffer.alloc(bytes);
    const said = head.toString("base64", 0, readSync(file, head, 0, bytes, from));
    if (!stat) return said;
    const { size, mtimeNs, ino } = fstatSync(file, { bigint: true });
    return `${size}:${mtimeNs}:${ino}:${said}`;
  } finally {
    closeSync(file);
  }
}
