import { closeSync, readSync } from "node:fs";
import { parseJson } from "../../io/json.ts";
import { openFile } from "../../io/regular-file.ts";
import { obj, type Native } from "./native.ts";

/** Whether a file is a session of the agent that is asked. */
export type Sniffed = "yes" | "no" | "unreadable";

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
 * Looks at the head of a file until a record tells whose it is: `judge` says so, or null where it cannot. `otherwise` judges a
 * head without such a record, such as one huge line of which only the beginning is there.
 */
export function sniff(
  path: string,
  judge: (record: Native) => boolean | null,
  otherwise: (head: string) => boolean,
): Sniffed {
  const head = headOf(path);
  if (head === null) return "unreadable";
  for (const line of head.split("\n")) {
    const record = recordOn(line);
    const found = record && judge(record);
    if (found !== null) return found ? "yes" : "no";
  }
  return otherwise(head) ? "yes" : "no";
}

/** The object on a line; null when there is none. */
export function recordOn(line: string): Native | null {
  try {
    return obj(parseJson(line));
  } catch {
    return null;
  }
}

export function isSqlite(path: string): boolean {
  return headOf(path, SQLITE.length) === SQLITE;
}
