import { closeSync, readSync } from "node:fs";
import type { SourceRef } from "../contract.ts";
import { readForeign } from "../../io/sqlite-foreign.ts";
import { isGoose } from "./database.ts";
import { isHeader } from "./legacy.ts";
import { obj, parsed } from "./native.ts";
import { openFile } from "../../io/regular-file.ts";

const SQLITE = "SQLite format 3\0";
const HEAD = 64 * 1024;

function headOf(path: string, length: number): string {
  try {
    const file = openFile(path);
    try {
      const buffer = Buffer.alloc(length);
      return buffer.toString("utf8", 0, readSync(file, buffer, 0, length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

export function isSqlite(path: string): boolean {
  return headOf(path, SQLITE.length) === SQLITE;
}

/** An old session file: Goose's header, or a message in its shape. Other agents keep `.jsonl` files too. */
export function isLegacyFile(path: string): boolean {
  const head = headOf(path, HEAD);
  const [line = ""] = head.split("\n", 1);
  const record = obj(parsed(line));
  // A first line longer than the head can only be a message.
  if (!record) return /^\{"(?:id|role)":/.test(head) && head.includes('"created":') && head.includes('"content":[');
  if (isHeader(record))
    return "working_dir" in record || "accumulated_total_tokens" in record || "message_count" in record;
  return (
    typeof record["role"] === "string" && typeof record["created"] === "number" && Array.isArray(record["content"])
  );
}

export function recognises(ref: SourceRef): boolean {
  if (!isSqlite(ref.path)) return isLegacyFile(ref.path);
  try {
    return readForeign(ref.path, isGoose);
  } catch {
    return false;
  }
}
