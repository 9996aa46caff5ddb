import type { Entry, EntryClass } from "../sources/source.ts";

/**
 * One native file in the book: `<name>.jsonl`, its records in the canonical log format, and `<name>.ledger.jsonl`, one short
 * row per native record (class, reason, place), so that every answer can be given again when the agent has deleted its file.
 * Both only grow. What counts is what the last commit row of the ledger covers; bytes beyond it are an unfinished batch.
 */
export interface PagePaths {
  log: string;
  ledger: string;
}

export function pagePaths(base: string): PagePaths {
  return { log: `${base}.jsonl`, ledger: `${base}.ledger.jsonl` };
}

/** `[kind, line, bytes, time, position, turn id, identity, number of records]`; trailing nulls are left out. */
export type LedgerLine = [number, number, number, number | null, number, string | null, string | null, number];

export interface Commit {
  /** Native lines covered, and the offset of the next one. */
  line: number;
  offset: number;
  /** Bytes of the log and its next seq. */
  log: number;
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
