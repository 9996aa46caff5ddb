import { closeSync, readSync } from "node:fs";
import type { SourceRef } from "../contract.ts";
import { readForeign } from "../../io/sqlite-foreign.ts";
import { isOpenCode } from "./database.ts";
import { parseObject } from "./native.ts";
import { openFile } from "../../io/regular-file.ts";

const SQLITE = "SQLite format 3\0";
const HEAD = 4096;

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

/** The session id of a file written by `opencode export`; null for anything else. */
export function looksExported(path: string): string | null {
  const head = headOf(path, HEAD);
  if (!/^\s*\{\s*"info"\s*:/.test(head)) return null;
  return /"id"\s*:\s*"(ses_[^"]+)"/.exec(head)?.[1] ?? null;
}

/** Whether the ref's file is one of OpenCode's: a database with its tables, a session document, an export. */
export function recognises(ref: Pick<SourceRef, "path">): boolean {
  if (isSqlite(ref.path)) {
    try {
      return readForeign(ref.path, isOpenCode);
    } catch {
      return false;
    }
  }
  if (looksExported(ref.path) !== null) return true;
  const head = headOf(ref.path, 256 * 1024);
  const info = parseObject(head);
  if (info) return typeof info["id"] === "string" && typeof info["time"] === "object" && "version" in info;
  return /^\s*\{\s*"id"\s*:\s*"ses_/.test(head);
}
