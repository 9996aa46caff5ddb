import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import type { SessionKind, SessionRef } from "../../record/record.ts";
import { str, type Native } from "../kit/native.ts";
import { headOf, parseRecord } from "../kit/sniff.ts";

export const SOURCE_ID = "pi";

/** `<time>_<session id>.jsonl`; the id is a UUID unless the user chose one. */
const NAMED = /^\d{4}-\d{2}-\d{2}T[\d-]+Z_(.+)$/;
const HEAD = 16 * 1024;

function stemOf(path: string): string {
  return basename(path.replaceAll("\\", "/")).replace(/\.jsonl$/i, "");
}

/** The id in the file's name; a file with another name (`--session PATH`) has it in its header. */
export function sessionIdOf(path: string): string {
  const stem = stemOf(path);
  return NAMED.exec(stem)?.[1] ?? headerIdOf(path) ?? stem;
}

function headerIdOf(path: string): string | null {
  const header = headerOf(path);
  return header === "unreadable" || header === null ? null : str(header["id"]);
}

/** The id of another session that is named by its path (pi) or by its id (programs derived from pi). */
export function sessionIdNamed(reference: string): string {
  const stem = stemOf(reference);
  return NAMED.exec(stem)?.[1] ?? stem;
}

/** Oh My Pi keeps subagents in a directory named like the parent's file; only the path links the two. */
export function parentFromPath(path: string): SessionRef | null {
  const owner = NAMED.exec(basename(dirname(path.replaceAll("\\", "/"))))?.[1];
  return owner === undefined ? null : { source: SOURCE_ID, session_id: owner };
}

export function kindFromPath(path: string): SessionKind {
  return parentFromPath(path) ? "subagent" : "root";
}

/**
 * Equal in every copy of a record: forks keep `id` and `timestamp`. The id alone has only 32 bits and is checked for
 * collisions only within one file; together with the millisecond it is practically unique. Files of version 1 have no
 * ids: there a hash of the content is used.
 */
export function identityOf(record: Native): string | null {
  const id = str(record["id"]);
  const timestamp = str(record["timestamp"]);
  if (record["type"] === "session") return id;
  if (id !== null && timestamp !== null) return `${id}@${timestamp}`;
  if (timestamp === null) return id;
  const hash = createHash("sha256").update(JSON.stringify(record)).digest("hex");
  return `${hash.slice(0, 16)}@${timestamp}`;
}

/** The header at the beginning of a file, or null if the file is not a session of pi. */
export function headerOf(path: string): Native | "unreadable" | null {
  const head = headOf(path, HEAD);
  if (head === null) return "unreadable";
  for (const line of head.replace(/^\uFEFF/, "").split("\n", 3)) {
    const record = parseRecord(line);
    // Oh My Pi writes a title line before the header.
    if (record?.["type"] === "title" || line.trim() === "") continue;
    const ours = record?.["type"] === "session" && str(record["id"]) !== null && str(record["timestamp"]) !== null;
    return ours ? record : null;
  }
  return null;
}
