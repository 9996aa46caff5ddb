import { closeSync, existsSync, fdatasyncSync, ftruncateSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { SCHEMA_VERSION, type RecordBody } from "../log/record.ts";
import type { Entry, EntryClass } from "../sources/source.ts";
import { packFrame } from "./frames.ts";
import { pagePaths, type Commit, type LedgerLine, type PageState } from "./page-format.ts";
import { readPage } from "./page-reader.ts";

const FLUSH = 1024 * 1024;

/** Appends entries to a page. One writer at a time: sync holds the home's lock. */
export class PageWriter {
  readonly #head: string;
  readonly #log: number;
  readonly #ledger: number;
  readonly #kinds: Map<string, number>;
  readonly #packed: boolean;
  #buffer: Buffer = Buffer.allocUnsafe(FLUSH + 64 * 1024);
  #used = 0;
  #ledgerText: string[] = [];
  #state: PageState;

  /** `large` decides how a new page is kept; an existing one stays as it is. */
  constructor(base: string, sessionId: string, large: boolean) {
    const paths = pagePaths(base);
    mkdirSync(dirname(base), { recursive: true });
    this.#state = existsSync(paths.ledger) ? readPage(base).state : emptyState();
    this.#packed = existsSync(paths.packed) || (large && !existsSync(paths.log));
    this.#head = `"session_id":${JSON.stringify(sessionId)},"origin":{"line":`;
    this.#kinds = new Map(this.#state.kinds.map((kind, i) => [kind.join("\t"), i]));
    this.#log = openSync(this.#packed ? paths.packed : paths.log, "a");
    this.#ledger = openSync(paths.ledger, "a");
    // An interrupted batch leaves bytes that no commit covers: they were never reported, and are read again.
    ftruncateSync(this.#log, this.#state.commit.log);
    ftruncateSync(this.#ledger, this.#state.ledgerBytes);
  }

  /** Native lines already in the page. */
  get line(): number {
    return this.#state.commit.line;
  }

  /** Returns where in the log's text the entry's records stand, as offset and length of each. */
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
    if (this.#used > FLUSH) this.#flush();
    return places;
  }

  /** Makes everything added so far count. `durable` waits for the disk. */
  commit(at: { line: number; offset: number }, tail: readonly Entry[], durable: boolean): void {
    this.#flush();
    const { log, text, seq } = this.#state.commit;
    const commit: Commit = { line: at.line, offset: at.offset, log, text, seq, tail: [...tail] };
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
    const time =
      entry.time === null || Math.abs(entry.time) > 8.64e15 ? "null" : `"${new Date(entry.time).toISOString()}"`;
    // Put together by hand: copying every body into an envelope object first costs as much as writing it.
    const line = `{"schema_version":${SCHEMA_VERSION},"seq":${commit.seq++},"time":${time},${this.#head}${entry.line}},${JSON.stringify(body).slice(1)}\n`;
    // Three bytes per unit of a string is the most UTF-8 can take.
    if (this.#buffer.length - this.#used < line.length * 3) this.#grow(line.length * 3);
    const bytes = this.#buffer.write(line, this.#used, "utf8");
    this.#used += bytes;
    const offset = commit.text;
    commit.text += bytes;
    return [offset, bytes];
  }

  #grow(room: number): void {
    const larger = Buffer.allocUnsafe(this.#used + room + FLUSH);
    this.#buffer.copy(larger, 0, 0, this.#used);
    this.#buffer = larger;
  }

  #flush(): void {
    if (this.#used === 0) return;
    const text = this.#buffer.subarray(0, this.#used);
    const written = this.#packed ? packFrame(text) : text;
    writeSync(this.#log, written);
    this.#state.commit.log += written.length;
    this.#used = 0;
    if (this.#buffer.length > 4 * FLUSH) this.#buffer = Buffer.allocUnsafe(FLUSH + 64 * 1024);
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
  return { kinds: [], commit: { line: 0, offset: 0, log: 0, text: 0, seq: 0, tail: [] }, ledgerBytes: 0 };
}
