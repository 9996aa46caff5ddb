import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { writeAll } from "../../base/io/disk.ts";
import type { LogRecord } from "../../record/record.ts";
import type { EntryClass } from "../../agents/contract.ts";
import { checksum, objectWithChecksum, rowWithChecksum } from "./checksum.ts";
import { LogText } from "./log-text.ts";
import { PAGE_FORMAT, pagePaths, type Commit, type PageHead } from "./page-format.ts";
import { readPage, scanLedger } from "./page-reader.ts";

/** The rule that classed a record whose row in the ledger was lost. */
export const RECOVERED = "book.page.recovered";

/**
 * Writes rows for the text of a log that its ledger no longer covers, because the end of the ledger was lost or all of
 * it. What a record is follows from the record itself; how its agent's reader had classed it is lost. Only for files that
 * are gone: any other is read again.
 */
export function recoverRows(base: string, head: PageHead): void {
  const { ledger, packed } = pagePaths(base);
  const { state } = readPage(base);
  const kinds = new Map(state.kinds.map(([cls, reason, native], i) => [`${cls}\t${reason}\t${native}`, i]));
  const rows: string[] = [];
  /** The text of the last request. */
  let asked: string | null = null;
  const { commit } = state;
  let { text: at, line, seq } = commit;
  // Rows without a commit after them are whole: only the commit is missing.
  if (state.uncovered !== null)
    scanLedger(base, ({ row }) => {
      if (!row || row[1] <= line) return;
      line = row[1];
      seq += row[7];
      at = Math.max(at, (row[8] ?? 0) + (row[9] ?? 0));
    });
  const log = new LogText(base, () => [{ log: commit.log, text: commit.text }]);
  try {
    for (let found = log.line(at); found; found = log.line(at)) {
      const record = recordIn(found.toString("utf8"));
      if (record === null) break;
      const cls = classOf(record, asked);
      if (record.type === "user" && cls === "trigger") asked = record.text;
      const kind = `${cls}\t${RECOVERED}\t`;
      if (!kinds.has(kind)) {
        rows.push(objectWithChecksum({ kind: [cls, RECOVERED, ""], id: kinds.size }));
        kinds.set(kind, kinds.size);
      }
      const time = record.time === null ? null : Date.parse(record.time);
      // Several records of one native line would replace each other: each becomes a line of its own.
      line++;
      rows.push(
        rowWithChecksum([kinds.get(kind), line, 0, time, null, null, null, 1, at, found.length, checksum(found)]),
      );
      at += found.length;
      seq = record.seq + 1;
    }
  } finally {
    log.close();
  }
  if (at === commit.text) return;
  const page = objectWithChecksum({ page: { ...head, format: PAGE_FORMAT } });
  const fd = openSync(ledger, "a+", 0o600);
  try {
    const size = fstatSync(fd).size;
    // A torn last row stays, as damage.
    const start = size > 0 && lastByte(fd, size) !== 0x0a ? "\n" : "";
    const end: Commit = {
      line,
      offset: 0,
      log: statSync(packed, { throwIfNoEntry: false })?.size ?? at,
      text: at,
      seq,
      tail: [],
      seen: null,
    };
    writeAll(fd, Buffer.from([start, page, ...rows, objectWithChecksum({ commit: end })].join("")), ledger);
  } finally {
    closeSync(fd);
  }
}

function classOf(record: LogRecord, asked: string | null): EntryClass {
  // Some agents write a request twice, one right after the other.
  if (record.type === "user" && record.author === "human") return record.text === asked ? "echo" : "trigger";
  if (record.type === "session_meta" || record.type === "session_renamed") return "session";
  if (record.type === "unknown") return "unknown";
  return record.type === "unreadable" ? "corrupt" : "reaction";
}

/** Null for what is no record: the end of a batch that was never finished. */
function recordIn(text: string): LogRecord | null {
  try {
    return JSON.parse(text) as LogRecord;
  } catch {
    return null;
  }
}

function lastByte(fd: number, size: number): number | undefined {
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0];
}
