import { closeSync, existsSync, fdatasyncSync, ftruncateSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { SCHEMA_VERSION, type RecordBody } from "../log/record.ts";
import type { Entry, EntryClass } from "../sources/source.ts";
import { pagePaths, type Commit, type LedgerLine, type PageState } from "./page-format.ts";
import { readPage } from "./page-reader.ts";

const FLUSH = 1024 * 1024;

/** Appends entries to a page. One writer at a time: sync holds the home's lock. */
export class PageWriter {
  readonly #session: string;
  readonly #log: number;
  readonly #ledger: number;
  readonly #kinds: Map<string, number>;
  #logText: string[] = [];
  #logPending = 0;
  #ledgerText: string[] = [];
  #state: PageState;

  constructor(base: string, sessionId: string) {
    const paths = pagePaths(base);
    mkdirSync(dirname(base), { recursive: true });
    this.#session = sessionId;
    this.#state = existsSync(paths.ledger) ? readPage(base).state : emptyState();
    this.#kinds = new Map(this.#state.kinds.map((kind, i) => [kind.join("\t"), i]));
    this.#log = openSync(paths.log, "a");
    this.#ledger = openSync(paths.ledger, "a");
    // An interrupted batch leaves bytes that no commit covers: they were never reported, and are read again.
    ftruncateSync(this.#log, this.#state.commit.log);
    ftruncateSync(this.#ledger, this.#state.ledgerBytes);
  }

  /** Native lines already in the page. */
  get line(): number {
    return this.#state.commit.line;
  }

  /** Returns where in the log the entry's records stand, as offset and length of each. */
  add(entry: Entry): [number, number][] {
    if (entry.line <= this.#state.commit.line) return [];
    const row: LedgerLine = [
      this.#kind(entry.class, entry.reason, entry.native),
      entry.line,
      entry.bytes,
      entry.time,
      entry.position === entry.line ? 0 : entry.position,
      entry.turnId ?? null,
      entry.identity ?? null,
      entry.records.length,
    ];
    this.#ledgerText.push(`${JSON.stringify(row)}\n`);
    const places = entry.records.map((body) => this.#record(body, entry));
    if (this.#logPending > FLUSH) this.#flushLog();
    return places;
  }

  /** Makes everything added so far count. `durable` waits for the disk. */
  commit(at: { line: number; offset: number }, tail: readonly Entry[], durable: boolean): void {
    this.#flushLog();
    const { log, seq } = this.#state.commit;
    const commit: Commit = { line: at.line, offset: at.offset, log, seq, tail: [...tail] };
    if (durable) fdatasyncSync(this.#log);
    this.#ledgerText.push(`${JSON.stringify({ commit })}\n`);
    const bytes = Buffer.from(this.#ledgerText.join(""), "utf8");
    writeSync(this.#ledger, bytes);
    if (durable) fdatasyncSync(this.#ledger);
    this.#ledgerText = [];
    this.#state = { ...this.#state, commit, ledgerBytes: this.#state.ledgerBytes + bytes.length };
  }

  close(): void {
    closeSync(this.#log);
    closeSync(this.#ledger);
  }

  #record(body: RecordBody, entry: Entry): [number, number] {
    const commit = this.#state.commit;
    const record = {
      schema_version: SCHEMA_VERSION,
      seq: commit.seq++,
      time: entry.time === null || Math.abs(entry.time) > 8.64e15 ? null : new Date(entry.time).toISOString(),
      session_id: this.#session,
      origin: { line: entry.line },
      ...body,
    };
    const bytes = Buffer.byteLength(this.#push(`${JSON.stringify(record)}\n`));
    const offset = commit.log;
    commit.log += bytes;
    return [offset, bytes];
  }

  #push(line: string): string {
    this.#logText.push(line);
    this.#logPending += line.length;
    return line;
  }

  #flushLog(): void {
    if (this.#logText.length > 0) writeSync(this.#log, Buffer.from(this.#logText.join(""), "utf8"));
    this.#logText = [];
    this.#logPending = 0;
  }

  #kind(cls: EntryClass, reason: string, native: string): number {
    const key = `${cls}\t${reason}\t${native}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const id = this.#kinds.size;
    this.#kinds.set(key, id);
    this.#ledgerText.push(`${JSON.stringify({ kind: [cls, reason, native] })}\n`);
    return id;
  }
}

function emptyState(): PageState {
  return { kinds: [], commit: { line: 0, offset: 0, log: 0, seq: 0, tail: [] }, ledgerBytes: 0 };
}
