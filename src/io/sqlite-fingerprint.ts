import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** The counter of changes in a database's header, and the salts of a log's. */
const DATABASE_HEAD: Part = { suffix: "", from: 24, bytes: 4 };
const LOG_HEAD: Part = { suffix: "-wal", from: 8, bytes: 16 };
/** The head of the shared memory beside a log: it changes with every commit, also within one tick of the file system's clock. */
const SHARED_HEAD: Part = { suffix: "-shm", from: 0, bytes: 48 };

interface Part {
  suffix: string;
  from: number;
  bytes: number;
}

/**
 * How a database stands, without opening it: a few bytes of it and of its log are read, whatever their size. Equal prints mean
 * that nothing was committed in between. Null when there is no such file.
 */
export function databaseFingerprint(path: string): string | null {
  const database = fingerprintOf(path, DATABASE_HEAD, true);
  if (database === null) return null;
  // Whoever reads a database touches its shared memory too: there only the content counts.
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
