import type { Cursor, Drift, Entry, EntryClass, SourceRef } from "../../sources/contract.ts";

/**
 * One native file in the book: `<name>.jsonl`, its records in the canonical log format, and `<name>.ledger.jsonl`, one short
 * row per native record (class, reason, place), so that every answer can be given again when the agent has deleted its file.
 * Both only grow. What counts is what the last commit row of the ledger covers; bytes beyond it are an unfinished batch.
 */
export interface PagePaths {
  log: string;
  /** The log of a large session, compressed in frames as it is written; one of the two exists. */
  packed: string;
  ledger: string;
}

const LEDGER = ".ledger.jsonl";
/** Pages beside a page: the file as it is understood together with others, and the identities of its records. */
const SIDE = /\.(?:(?:own|ids)(?:\.g\d+)?|anew)$/;
/** A page that is being written again, until it takes the place of the other. */
export const ANEW = ".anew";

export function pagePaths(base: string): PagePaths {
  return { log: `${base}.jsonl`, packed: `${base}.jsonl.frames`, ledger: base + LEDGER };
}

/** The page a ledger belongs to; null when the file is no ledger, or one of a side page. */
export function baseOf(path: string): string | null {
  const base = path.endsWith(LEDGER) ? path.slice(0, -LEDGER.length) : null;
  return base === null || SIDE.test(base) ? null : base;
}

/** The side page a ledger belongs to; null when it is no ledger of one. */
export function sideBaseOf(path: string): string | null {
  const base = path.endsWith(LEDGER) ? path.slice(0, -LEDGER.length) : null;
  return base !== null && SIDE.test(base) ? base : null;
}

/** Which version of its file a page holds: a file that was rewritten, not continued, gets a page of its own. */
export function generationOf(base: string): number {
  return Number(/\.g(\d+)$/.exec(base)?.[1] ?? 1);
}

export function nextGeneration(base: string): string {
  return `${base.replace(/\.g\d+$/, "")}.g${generationOf(base) + 1}`;
}

/** Whose page it is: enough to make its row in the index without the file. Written first; again when the file moved. */
export interface PageHead {
  /** Of the page, from here on; nobody said so in the first one, whose rows have no checksums. */
  format?: number;
  source: string;
  path: string;
  key: string;
  container: SourceRef["container"];
  /** As the path says it; a header inside the file wins. */
  session_id: string;
  /** Offset of the first line: not 0 for a session inside a larger file. */
  first: number;
}

/** Pages of a later one are left alone: what they say may mean something else. */
export const PAGE_FORMAT = 2;

/**
 * `[kind, line, bytes, time, position, turn id, identity, number of records, place, length and checksum of their text in the
 * log, checksum of the row]`. Position is null where it is the line. A line written again replaces what was there. Rows of the first
 * format end after the number of records.
 */
export type LedgerLine = [
  ...[kind: number, line: number, bytes: number, time: number | null, position: number | null],
  ...[turnId: string | null, identity: string | null, records: number],
  ...(readonly number[]),
];

/** Lines of the native file that the page held and that cannot be read any more. */
export interface Damage {
  /** First and last line; null where even that is not known. */
  from: number | null;
  to: number | null;
  /** What is damaged: rows of the ledger, or texts in the log. */
  part: "ledger" | "log";
}

/**
 * Raised when a source understands files otherwise than before. What an older reader made of a file that is still there is made
 * again; where the file is gone, its word is the last.
 */
export const READER_VERSION = 12;

/** The state of the file when it was read to its end. */
export interface Seen {
  /** Which reader wrote it; nobody said so before there was a second version. */
  reader?: number;
  size: number;
  mtime: number;
  stamp: string;
  drift: Drift;
}

export interface Commit {
  /** Native lines covered, and the offset of the next one. */
  line: number;
  offset: number;
  /** Bytes of the log's file, bytes of its text, and its next seq. */
  log: number;
  text: number;
  seq: number;
  /** Entries decided without knowing what follows; void as soon as a later commit covers their lines. */
  tail: Entry[];
  /** Null in the middle of a long file. */
  seen: Seen | null;
  /** Side pages, which no index remembers: where reading goes on, and what was known when it was read so far. */
  cursor?: Cursor;
  known?: string;
}

export function isFromOlderReader({ seen }: Commit): boolean {
  return seen !== null && seen.reader !== READER_VERSION;
}

export interface PageState {
  head: PageHead | null;
  kinds: [EntryClass, string, string][];
  commit: Commit;
  /** Bytes of the ledger up to and including the last commit row. */
  ledgerBytes: number;
  /** Some line was written more than once. */
  amended: boolean;
  /** What the ledger says is missing from it; what is missing from the log is known when that is read. */
  damage: Damage[];
  /** The last line of rows that no commit covers: whole all the same, but to be read again before the page goes on. */
  uncovered: number | null;
  /** Written by a later version in a format that this one does not know. */
  newer: boolean;
}

export function emptyState(): PageState {
  return {
    head: null,
    kinds: [],
    commit: { line: 0, offset: 0, log: 0, text: 0, seq: 0, tail: [], seen: null },
    ledgerBytes: 0,
    amended: false,
    damage: [],
    uncovered: null,
    newer: false,
  };
}
