import { closeSync, existsSync, readSync } from "node:fs";
import { DaybookError } from "../../base/errors.ts";
import type { RecordBody } from "../../record/record.ts";
import { BESIDE, type Entry, type EntryClass, type SourceRef } from "../../agents/contract.ts";
import { iso } from "../../base/time/zone.ts";
import type { Session } from "../../turns/session.ts";
import { sourceOf } from "./read-file.ts";
import { placedEntries } from "../../turns/placed-entries.ts";
import { fileEntries } from "./file-entries.ts";
import { openFile } from "../../base/io/regular-file.ts";

export interface Explanation {
  source: string;
  session_id: string;
  session_path: string;
  line: number;
  native: string;
  class: EntryClass;
  reason: string;
  time: string | null;
  /** The turn that owns the record. */
  turn_ref: string | null;
  /** For setup: the turn it prepared. */
  prepares: string | null;
  tentative: boolean;
  records: readonly RecordBody[];
  /**
   * The beginning of the native line; for a row of a database its table, key and document. Empty when the record is
   * gone.
   */
  excerpt: string;
}

const EXCERPT = 2000;

/** How the native records on lines were classified: in each file of the session that has such lines. */
export function explainLines(
  session: Session,
  [first, last]: readonly [first: number, last: number],
  path: string | null,
): Explanation[] {
  const out: Explanation[] = [];
  for (const { part, entry, row, turn_ref } of placedEntries(session, fileEntries)) {
    if (entry.line < first || entry.line > last || (path !== null && part.path !== path)) continue;
    out.push({
      source: session.source,
      session_id: session.session_id,
      session_path: part.path,
      line: entry.line,
      native: entry.native,
      class: entry.class,
      reason: entry.reason,
      time: iso(entry.time),
      turn_ref: row.turn === null ? null : turn_ref,
      prepares: row.turn === null ? turn_ref : null,
      tentative: entry.tentative,
      records: entry.records,
      excerpt: excerptOf(part.ref, entry),
    });
  }
  if (out.length > 0) return out;
  const end = Math.max(...session.parts.map((part) => part.last_line));
  throw new DaybookError(`session ${session.session_id} has no line ${first}`, {
    code: "not_found",
    op: "explain line",
    hint: `its last line is ${end}`,
  });
}

function excerptOf(ref: SourceRef, entry: Entry): string {
  if (!existsSync(ref.path)) return "";
  const isLine = (ref.container === "jsonl" || ref.container === "text") && !entry.native.startsWith(BESIDE);
  if (isLine) return textAt(ref.path, entry.offset, Math.min(entry.bytes, EXCERPT));
  try {
    const found = sourceOf(ref).recordAt?.(ref, entry.line, entry.native);
    // Rows and files come and go: by now another one may be in that position.
    return found?.bytes === entry.bytes ? found.text.slice(0, EXCERPT) : "";
  } catch {
    return "";
  }
}

function textAt(path: string, offset: number, bytes: number): string {
  const fd = openFile(path);
  try {
    const buffer = Buffer.alloc(bytes);
    const got = readSync(fd, buffer, 0, bytes, offset);
    return buffer.toString("utf8", 0, got);
  } finally {
    closeSync(fd);
  }
}
