import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { SCHEMA_VERSION, type RecordBody } from "../../record/record.ts";
import type { Cursor, Entry, EntryClass } from "../../agents/contract.ts";
import { DaybookError } from "../../base/errors.ts";
import { checksum, objectWithChecksum, rowWithChecksum } from "./checksum.ts";
import { writeAll } from "../../base/io/disk.ts";
import { packFrame } from "./frames.ts";
import {
  PAGE_FORMAT,
  pagePaths,
  type Commit,
  type LedgerLine,
  type PageHead,
  type PagePaths,
  type PageState,
  type SeenFile,
} from "./page-format.ts";
import { openPage, readPage, type PlacedEntry } from "./page-reader.ts";
import { moveOver } from "../../base/io/move-over.ts";

const FLUSH = 1024 * 1024;
/** Reading one record unpacks its whole frame, which takes less than half a millisecond. */
const FRAME = 128 * 1024;

/** A ledger of this size is read in no time. */
const SHORT = 64 * 1024;

/** Sessions hold what their owner would not show to other users of the machine. */
const PRIVATE = 0o600;
/** What separates the fields of a record, and what ends it. */
const COMMA = 0x2c;
const NEWLINE = 0x0a;

export interface CommitOptions {
  tail?: readonly Entry[];
  /** Waits for the disk. */
  durable?: boolean;
  seen?: SeenFile | null;
  cursor?: Cursor;
  known?: string;
}

/** The state of a page after its last commit: if both files are unchanged, the ledger need not be read to continue. */
export interface RestingPage {
  state: PageState;
  /** Modification times of log and ledger. */
  times: [number, number];
}

/** Appends entries to a page. One writer at a time: sync holds the home's lock. */
export class PageWriter {
  readonly #base: string;
  readonly #prefix: string;
  readonly #paths: PagePaths;
  readonly #log: number;
  readonly #ledger: number;
  readonly #kinds: Map<string, number>;
  readonly #kindList: PageState["kinds"];
  readonly #packed: boolean;
  #head: PageHead;
  #buffer: Buffer = Buffer.allocUnsafe(64 * 1024);
  #used = 0;
  #ledgerText: string[] = [];
  #state: PageState;
  /** Updated as entries are added; becomes the next commit. */
  #next: Commit;

  /**
   * `large`: compress a new page; an existing page stays as it is. `state`: the result of a ledger scan, if there is
   * one.
   */
  constructor(
    base: string,
    head: Omit<PageHead, "first">,
    large: boolean,
    resting: RestingPage | null = null,
    state: PageState | null = null,
  ) {
    const paths = (this.#paths = pagePaths(base));
    this.#base = base;
    mkdirSync(dirname(base), { recursive: true, mode: 0o700 });
    this.#packed = existsSync(paths.packed) || (large && !existsSync(paths.log));
    const left =
      state === null &&
      resting !== null &&
      // States kept by earlier versions do not know the place of their rows.
      resting.state.chain !== undefined &&
      isUnchanged(resting, this.#packed ? paths.packed : paths.log, paths.ledger);
    this.#state = left ? resting.state : (state ?? readPage(base).state);
    if (this.#state.newer || this.#state.damage.length > 0) throw new ClosedPageError(this.#state, base);
    this.#next = { ...this.#state.commit };
    this.#head = { ...head, format: PAGE_FORMAT, first: this.#state.head?.first ?? 0 };
    this.#prefix = `"session_id":${JSON.stringify(head.session_id)},"origin":{"line":`;
    this.#kindList = [...this.#state.kinds];
    this.#kinds = new Map(this.#kindList.map((kind, i) => [kind.join("\t"), i]));
    this.#log = openSync(this.#packed ? paths.packed : paths.log, "a", PRIVATE);
    this.#ledger = openSync(paths.ledger, "a", PRIVATE);
    // An interrupted batch leaves bytes that no commit covers: they were never reported, and are read again.
    this.#dropUncommitted();
  }

  /** Native lines already in the page. */
  get line(): number {
    return this.#state.commit.line;
  }

  /** Nothing was ever committed. */
  get isNew(): boolean {
    return this.#state.ledgerBytes === 0;
  }

  /** The entries committed so far. */
  committed(): Iterable<PlacedEntry> {
    return openPage(this.#base, { ...this.#state, uncovered: null }).placed();
  }

  /** The file was moved or compressed since the page's header was written. */
  get moved(): boolean {
    const { head } = this.#state;
    return head !== null && (head.path !== this.#head.path || head.container !== this.#head.container);
  }

  /** Returns offset and length of each of the entry's records in the log's text. */
  add(entry: Entry): [number, number][] {
    if (this.isNew && this.#next.seq === 0 && this.#ledgerText.length === 0) this.#head.first = entry.offset;
    const [at, start] = [this.#next.text, this.#used];
    const kind = this.#kind(entry.class, entry.reason, entry.native);
    const places = entry.records.map((body) => this.#record(body, entry));
    const text = this.#buffer.subarray(start, this.#used);
    const row: LedgerLine = [
      kind,
      entry.line,
      entry.bytes,
      entry.time,
      entry.position === entry.line ? null : entry.position,
      entry.turnLine ?? entry.turnId ?? null,
      entry.identity ?? null,
      entry.records.length,
      at,
      text.length,
      checksum(text),
    ];
    this.#ledgerText.push(rowWithChecksum(row));
    if (this.#used > (this.#packed ? FRAME : FLUSH)) this.#flush();
    return places;
  }

  /** Commits everything added so far. */
  commit(at: { line: number; offset: number }, options: CommitOptions = {}): void {
    const { tail = [], durable = false, seen = null, ...side } = options;
    this.#flush();
    const { log, text, seq } = this.#next;
    const line = { line: at.line, offset: at.offset };
    if (durable) fdatasyncSync(this.#log);
    // Written twice: a page without a readable header is lost.
    const head =
      this.isNew || this.moved || this.#state.head?.format !== PAGE_FORMAT
        ? objectWithChecksum({ page: this.#head })
        : "";
    this.#ledgerText = [head, ...this.#ledgerText, head].filter((row) => row !== "");
    const rows = this.#state.rows + this.#ledgerText.length;
    const before = Buffer.from(this.#ledgerText.join(""), "utf8");
    const chain = checksum(before, this.#state.chain);
    const commit: Commit = { ...line, rows, chain, log, text, seq, tail: [...tail], seen, ...side };
    const last = Buffer.from(objectWithChecksum({ commit }), "utf8");
    const bytes = Buffer.concat([before, last]);
    writeAll(this.#ledger, bytes, this.#paths.ledger);
    if (durable) fdatasyncSync(this.#ledger);
    this.#ledgerText = [];
    const kinds = [...this.#kindList];
    this.#state = {
      ...this.#state,
      head: this.#head,
      kinds,
      commit,
      ledgerBytes: this.#state.ledgerBytes + bytes.length,
      rows: rows + 1,
      chain: checksum(last, chain),
    };
    this.#next = { ...commit };
  }

  /** Discards what was added and not committed. */
  discard(): void {
    this.#dropUncommitted();
    this.#ledgerText = [];
    this.#used = 0;
    this.#next = { ...this.#state.commit };
  }

  /** Call after a commit: the state to pass in when the page is opened next. Null when reading the ledger is faster. */
  rest(): RestingPage | null {
    if (this.#state.ledgerBytes < SHORT) return null;
    return { state: this.#state, times: [fstatSync(this.#log).mtimeMs, fstatSync(this.#ledger).mtimeMs] };
  }

  close(): void {
    closeSync(this.#log);
    closeSync(this.#ledger);
  }

  #dropUncommitted(): void {
    ftruncateSync(this.#log, this.#state.commit.log);
    ftruncateSync(this.#ledger, this.#state.ledgerBytes);
  }

  #record(body: RecordBody, entry: Entry): [number, number] {
    const time =
      entry.time === null || Math.abs(entry.time) > 8.64e15 ? "null" : `"${new Date(entry.time).toISOString()}"`;
    // Concatenated in the buffer: building an envelope object, or one string of both parts, costs as much as writing
    // them.
    const head = `{"schema_version":${SCHEMA_VERSION},"seq":${this.#next.seq++},"time":${time},${this.#prefix}${entry.line}}`;
    const rest = JSON.stringify(body);
    // UTF-8 needs at most three bytes per UTF-16 code unit.
    const room = (head.length + rest.length + 1) * 3;
    if (this.#buffer.length - this.#used < room) this.#grow(room);
    const joint = this.#used + this.#buffer.write(head, this.#used, "utf8");
    const end = joint + this.#buffer.write(rest, joint, "utf8");
    this.#buffer[joint] = COMMA;
    this.#buffer[end] = NEWLINE;
    const bytes = end + 1 - this.#used;
    this.#used += bytes;
    const offset = this.#next.text;
    this.#next.text += bytes;
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
    writeAll(this.#log, written, this.#packed ? this.#paths.packed : this.#paths.log);
    this.#next.log += written.length;
    this.#used = 0;
    if (this.#buffer.length > 4 * FLUSH) this.#buffer = Buffer.allocUnsafe(FLUSH + 64 * 1024);
  }

  #kind(cls: EntryClass, reason: string, native: string): number {
    const key = `${cls}\t${reason}\t${native}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const id = this.#kinds.size;
    this.#kinds.set(key, id);
    this.#kindList.push([cls, reason, native]);
    this.#ledgerText.push(objectWithChecksum({ kind: [cls, reason, native], id }));
    return id;
  }
}

/** A damaged page must not be truncated as if it were unfinished; a page of a later format may mean something else. */
export class ClosedPageError extends DaybookError {
  constructor({ newer }: PageState, base: string) {
    super(newer ? "this page of the book was written by a later version" : "this page of the book is damaged", {
      code: "invalid",
      op: "write page",
      path: base,
      hint: newer ? "use that version, or a home of its own: --home DIR" : "daybook doctor --verify says what is lost",
    });
  }
}

function isUnchanged({ state, times }: RestingPage, log: string, ledger: string): boolean {
  const files = [log, ledger].map((path) => statSync(path, { throwIfNoEntry: false }));
  const sizes = [state.commit.log, state.ledgerBytes];
  return files.every((file, i) => file !== undefined && file.size === sizes[i] && file.mtimeMs === times[i]);
}

export function removePage(base: string): void {
  const { ledger, log, packed } = pagePaths(base);
  // The ledger is removed first: without it a page does not exist, whatever else is left.
  for (const path of [ledger, log, packed]) rmSync(path, { force: true });
}

/** Replaces a page whose file can still be read: a crash in between leaves no page, and the file is read again. */
export function movePage(from: string, to: string): void {
  removePage(to);
  const [now, then] = [pagePaths(from), pagePaths(to)];
  for (const part of ["log", "packed", "ledger"] as const) if (existsSync(now[part])) moveOver(now[part], then[part]);
}
