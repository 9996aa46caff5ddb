import type { Entry, EntryClass } from "../sources/source.ts";

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

export function pagePaths(base: string): PagePaths {
  return { log: `${base}.jsonl`, packed: `${base}.jsonl.frames`, ledger: `${base}.ledger.jsonl` };
}

/** `[kind, line, bytes, time, position, turn id, identity, number of records]`; trailing nulls are left out. */
export type LedgerLine = [number, number, number, number | null, number, string | null, string | null, number];

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
}

export interface PageState {
  kinds: [EntryClass, string, string][];
  commit: Commit;
  /** Bytes of the ledger up to and including the last commit row. */
  ledgerBytes: number;
}
