import { closeSync, readSync } from "node:fs";
import { parseJson } from "../../io/json.ts";
import { openFile } from "../../io/regular-file.ts";
import { obj, type Native } from "./native.ts";

/** Whether a file is a session of the agent in question. */
export type SniffResult = "yes" | "no" | "unreadable";

const HEAD = 64 * 1024;
const SQLITE = "SQLite format 3\0";

/** The first bytes of a file as text; null when it cannot be opened. */
export function headOf(path: string, length: number = HEAD): string | null {
  try {
    const file = openFile(path);
    try {
      const buffer = Buffer.alloc(length);
      return buffer.toString("utf8", 0, readSync(file, buffer, 0, length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/**
 * Checks the records at the head of a file until `judge` can tell whether the file belongs to the agent; it returns
 * null if a record does not tell. `otherwise` judges a head without such a record, for example the beginning of one
 * huge line.
 */
export function sniff(
  path: string,
  judge: (record: Native) => boolean | null,
  otherwise: (head: string) => boolean,
): SniffResult {
  const head = headOf(path);
  if (head === null) return "unreadable";
  for (const line of head.split("\n")) {
    const record = parseRecord(line);
    const found = record && judge(record);
    if (found !== null) return found ? "yes" : "no";
  }
  return otherwise(head) ? "yes" : "no";
}

/** The object on a line; null when there is none. */
export function parseRecord(line: string): Native | null {
  try {
    return obj(parseJson(line));
  } catch {
    return null;
  }
}

export function isSqlite(path: string): boolean {
  return headOf(path, SQLITE.length) === SQLITE;
}
