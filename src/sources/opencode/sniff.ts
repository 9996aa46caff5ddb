import type { SourceRef } from "../contract.ts";
import { headOf, isSqlite } from "../kit/sniff.ts";
import { readForeign } from "../../io/sqlite-foreign.ts";
import { isOpenCode } from "./database.ts";
import { parseObject } from "./native.ts";

const HEAD = 4096;

/** The session id of a file written by `opencode export`; null for anything else. */
export function looksExported(path: string): string | null {
  const head = headOf(path, HEAD) ?? "";
  if (!/^\s*\{\s*"info"\s*:/.test(head)) return null;
  return /"id"\s*:\s*"(ses_[^"]+)"/.exec(head)?.[1] ?? null;
}

/** Whether the ref's file belongs to OpenCode: a database with its tables, a session document, or an export. */
export function recognises(ref: Pick<SourceRef, "path">): boolean {
  if (isSqlite(ref.path)) {
    try {
      return readForeign(ref.path, isOpenCode);
    } catch {
      return false;
    }
  }
  if (looksExported(ref.path) !== null) return true;
  const head = headOf(ref.path, 256 * 1024) ?? "";
  const info = parseObject(head);
  if (info) return typeof info["id"] === "string" && typeof info["time"] === "object" && "version" in info;
  return /^\s*\{\s*"id"\s*:\s*"ses_/.test(head);
}
