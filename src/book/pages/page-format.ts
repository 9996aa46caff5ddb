import { relative, sep } from "node:path";
import { readerVersion } from "../../stored-versions.ts";
import type { Cursor, Drift, Entry, EntryClass, SourceRef } from "../../agents/contract.ts";

/**
 * One native file in the book: `<name>.jsonl` holds its records in the canonical log format, and `<name>.ledger.jsonl`
 * holds one short row per native record (class, reason, place), so that every answer can be reproduced after the agent
 * has deleted its file. Both are append-only. Only what the last commit row of the ledger covers is valid; bytes beyond
 * it belong to an unfinished batch.
 */
export interface PagePaths {
  log: string;
  /** The log of a large session, compressed in frames as it is written. Either this file or `log` exists. */
  packed: string;
  ledger: string;
}

const LEDGER = ".ledger.jsonl";
/** Side pages: the file as read together with others (`own`), identities of its records (`ids`), a rewrite (`anew`). */
const SIDE = /\.(?:(?:own|ids)(?:\.g\d+)?|anew)$/;
/** A page that is being rewritten, until it replaces the original. */
export const ANEW = ".anew";

export function pagePaths(base: string): PagePaths {
  return { log: `${base}.jsonl`, packed: `${base}.jsonl.frames`, ledger: base + LEDGER };
}

/** The page a ledger belongs to; null when the file is no ledger, or the ledger of a side page. */
export function baseOf(path: string): string | null {
  const base = path.endsWith(LEDGER) ? path.slice(0, -LEDGER.length) : null;
  return base === null || SIDE.test(base) ? null : base;
}

/** The side page a file belongs to; null for any other file. */
export function sideBaseOf(path: string): string | null {
  const base = /^(.+?)(?:\.ledger)?\.jsonl(?:\.frames)?$/.exec(path)?.[1];
  return base !== undefined && SIDE.test(base) ? base : null;
}

/** A page's name in rows: its path within the home, whatever the platform; empty for a file that was read directly. */
export function pageName(home: string, base: string | null): string {
  return relative(home, base ?? "")
    .split(sep)
    .join("/");
}

/** The page that a side page stands beside; any other page itself. */
export function mainPageOf(base: string): string {
  return base.replace(SIDE, "");
}

/** Which version of its file a page holds: a file that was rewritten instead of extended gets a new page. */
export function generationOf(base: string): number {
  return Number(/\.g(\d+)$/.exec(base)?.[1] ?? 1);
}

export function nextGeneration(base: string): string {
  return `${base.replace(/\.g\d+$/, "")}.g${generationOf(base) + 1}`;
}

/**
 * Describes the file of the page: enough to create its index row without the file. Written first, and again when the
 * file moved.
 */
export interface PageHead {
  /** Page format from here on; absent in the first format, whose rows have no checksums. */
  format?: number;
  source: string;
  path: string;
  key: string;
  container: SourceRef["container"];
  /** As the path says; a header inside the file takes precedence. */
  session_id: string;
  /** Offset of the first line: not 0 for a session inside a larger file. */
  first: number;
}

/** Pages of a later format are not read or written: their content may mean something else. */
export const PAGE_FORMAT = 2;

/**
 * `[kind, line, bytes, time, position, turn, identity, number of records, offset, length and checksum of their text in
 * the log, checksum of the row]`. Position is null where it equals the line. The turn is its native id or the line of
 * its trigger. A row for the same line replaces the earlier one. Rows of the first format end after the number of
 * records.
 */
export type LedgerLine = [
  ...[kind: number, line: number, bytes: number, time: number | null, position: number | null],
  ...[turn: string | number | null, identity: string | null, records: number],
  ...(readonly number[]),
];

/** Lines of the native file whose part of the page cannot be read any more. */
export interface Damage {
  /** First and last line; null where unknown. */
  from: number | null;
  to: number | null;
  /** What is damaged: rows of the ledger, or texts in the log. */
  part: "ledger" | "log";
}

/** State of the file when it was read to its end. */
export interface SeenFile {
  /** Version of its source's reader that wrote the page; absent in pages of the first version. */
  reader?: number;
  size: number;
  mtime: number;
  stamp: string;
  drift: Drift;
}

export interface Commit {
  /** Rows of the ledger before this one, and the checksum of their bytes; absent in rows of earlier versions. */
  rows?: number;
  chain?: number;
  /** Number of native lines covered, and the offset of the next one. */
  line: number;
  offset: number;
  /** Bytes of the log file, bytes of its text, and the next seq. */
  log: number;
  text: number;
  seq: number;
  /** Entries classified without knowing what follows; void as soon as a later commit covers their lines. */
  tail: Entry[];
  /** Null in the middle of a long file. */
  seen: SeenFile | null;
  /**
   * For side pages, which the index does not track: where to continue reading, and the state of the other files at that
   * time.
   */
  cursor?: Cursor;
  known?: string;
}

export function isFromOlderReader({ seen }: Commit, source: string): boolean {
  return seen !== null && seen.reader !== readerVersion(source);
}

export interface PageState {
  head: PageHead | null;
  kinds: [EntryClass, string, string][];
  commit: Commit;
  /** Bytes of the ledger up to and including the last commit row, and the number of rows in them. */
  ledgerBytes: number;
  rows: number;
  /** Checksum of these bytes: the next commit states it, so that every row knows its place. */
  chain: number;
  /** Some line was written more than once. */
  amended: boolean;
  /** Damage found in the ledger; damage of the log is found when the log is read. */
  damage: Damage[];
  /** The last line of rows that no commit covers: intact, but to be read again before the page is extended. */
  uncovered: number | null;
  /** The log holds text that no row covers: an unfinished batch, or a ledger that lost its end. */
  beyond: boolean;
  /** Written by a later version in a format that is unknown here. */
  newer: boolean;
}

export function emptyState(): PageState {
  return {
    head: null,
    kinds: [],
    commit: { line: 0, offset: 0, log: 0, text: 0, seq: 0, tail: [], seen: null },
    ledgerBytes: 0,
    rows: 0,
    chain: 0,
    amended: false,
    damage: [],
    uncovered: null,
    beyond: false,
    newer: false,
  };
}
