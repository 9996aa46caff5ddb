import type { Cursor, Drift, Entry, EntryClass, SourceRef } from "../sources/source.ts";

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
/** A page that is being told again, until it takes the place of the other. */
export const ANEW = ".anew";

export function pagePaths(base: string): PagePaths {
  return { log: `${base}.jsonl`, packed: `${base}.jsonl.frames`, ledger: base + LEDGER };
}

/** The page a ledger belongs to; null when the file is no ledger, or one of a side page. */
export function baseOf(path: string): string | null {
  const base = path.endsWith(LEDGER) ? path.slice(0, -LEDGER.length) : null;
  return base === null || SIDE.test(base) ? null : base;
}

/** Which telling of its file a page holds: a file that was rewritten, not continued, is told again on a page of its own. */
export function generationOf(base: string): number {
  return Number(/\.g(\d+)$/.exec(base)?.[1] ?? 1);
}

export function nextGeneration(base: string): string {
  return `${base.replace(/\.g\d+$/, "")}.g${generationOf(base) + 1}`;
}

/** Whose page it is: enough to make its row in the index without the file. Written first; again when the file moved. */
export interface PageHead {
  source: string;
  path: string;
  key: string;
  container: SourceRef["container"];
  /** As the path tells it; a header inside the file wins. */
  session_id: string;
  /** Offset of the first line: not 0 for a session inside a larger file. */
  first: number;
}

/**
 * `[kind, line, bytes, time, position, turn id, identity, number of records]`. Position is null where it is the line. A line
 * told again replaces what was told.
 */
export type LedgerLine = [number, number, number, number | null, number | null, string | null, string | null, number];

/**
 * Raised when a source understands files otherwise than before. What an older reader told of a file that is still there is told
 * again; where the file is gone, its word is the last.
 */
export const READER_VERSION = 5;

/** The state of the file when it was read to its end. */
export interface Seen {
  /** Who told it; nobody said so before there was a second version. */
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

export function isToldByOlder({ seen }: Commit): boolean {
  return seen !== null && seen.reader !== READER_VERSION;
}

export interface PageState {
  head: PageHead | null;
  kinds: [EntryClass, string, string][];
  commit: Commit;
  /** Bytes of the ledger up to and including the last commit row. */
  ledgerBytes: number;
  /** Some line was told more than once. */
  amended: boolean;
}

export function emptyState(): PageState {
  return {
    head: null,
    kinds: [],
    commit: { line: 0, offset: 0, log: 0, text: 0, seq: 0, tail: [], seen: null },
    ledgerBytes: 0,
    amended: false,
  };
}
