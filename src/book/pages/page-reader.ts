import { existsSync, statSync } from "node:fs";
import { openPlain } from "../../base/io/bytes.ts";
import { readLines } from "../../base/io/lines.ts";
import type { RecordBody } from "../../record/record.ts";
import type { Entry, EntryClass } from "../../agents/contract.ts";
import { checksum, isIntact } from "./checksum.ts";
import { readPiece, type SyncPoint } from "./frames.ts";
import { LogText } from "./log-text.ts";
import {
  emptyState,
  PAGE_FORMAT,
  pagePaths,
  type Commit,
  type Damage,
  type LedgerLine,
  type PageHead,
  type PageState,
} from "./page-format.ts";

/** An entry, with offset and length of each of its records in the log's text. */
export interface PlacedEntry {
  entry: Entry;
  places: [number, number][];
}

export interface Page {
  state: PageState;
  /** All entries: the certain ones, then the tentative tail. Reads log and ledger once, in parallel. */
  entries: () => Generator<Entry, void, undefined>;
  /** Only the certain entries. */
  placed: () => Iterable<PlacedEntry>;
}

export function readPage(base: string): Page {
  return openPage(base, scanLedger(base));
}

/** A page whose ledger was already scanned. */
export function openPage(base: string, state: PageState): Page {
  const placed = (): Iterable<PlacedEntry> => (state.amended ? latestEntries(base, state) : placedOf(base, state));
  return {
    state,
    placed,
    *entries() {
      for (const { entry } of placed()) yield entry;
      const last = state.uncovered ?? state.commit.line;
      for (const tail of state.commit.tail) if (tail.line > last) yield tail;
    },
  };
}

export function pageExists(base: string): boolean {
  return existsSync(pagePaths(base).ledger);
}

/** Finds the last commit whose records are all on disk, and what is missing before it. `each` receives every row. */
export function scanLedger(base: string, each?: (row: LedgerRowRead) => void): PageState {
  const paths = pagePaths(base);
  const state = emptyState();
  const written = statSync(existsSync(paths.packed) ? paths.packed : paths.log, { throwIfNoEntry: false })?.size ?? 0;
  if (!existsSync(paths.ledger)) return { ...state, beyond: written > 0 };
  const kinds: PageState["kinds"] = [];
  const lost = new LostRows();
  const gaps: Damage[] = [];
  let head: PageHead | null = null;
  let line = 0;
  /** The end of the last row's text in the log. */
  let covered = 0;
  let rows = 0;
  let chain = 0;
  /** A row since the last commit is unreadable, which also breaks the chain. */
  let isBroken = false;
  let [amended, isSummed] = [false, false];
  for (const row of ledgerRows(paths.ledger)) {
    each?.(row);
    const before = { rows, chain };
    rows++;
    chain = checksum(`${row.text}\n`, chain);
    isSummed ||= row.isSummed === true;
    if (row.kind) kinds[row.id ?? kinds.length] = row.kind;
    if (row.page) head = row.page;
    if (row.isDamaged) {
      lost.miss(line);
      isBroken = true;
    }
    if (row.row) {
      lost.found(row.row[1]);
      amended ||= row.row[1] <= line;
      // Where a row was removed, its lines are missing between two others.
      if (row.row[1] > line + 1) gaps.push({ from: line + 1, to: row.row[1] - 1, part: "ledger" });
      line = Math.max(line, row.row[1]);
      covered = Math.max(covered, (row.row[8] ?? 0) + (row.row[9] ?? 0));
    }
    if (!row.commit) continue;
    const { rows: counted = before.rows, chain: chained = before.chain } = row.commit;
    const isInPlace = counted === before.rows && (chained === before.chain || isBroken);
    if (!isInPlace && !lost.isOpen) {
      if (row.commit.line > line) gaps.push({ from: line + 1, to: row.commit.line, part: "ledger" });
      state.damage.push(...(gaps.length > 0 ? gaps : [{ from: null, to: null, part: "ledger" as const }]));
    }
    // Counted from here on, so that the rows after it are not all reported.
    rows = counted + 1;
    chain = checksum(`${row.text}\n`, chained);
    isBroken = false;
    gaps.length = 0;
    lost.upTo(row.commit.line);
    // A commit without checksum may be ahead of a log that a crash left behind; with a checksum, the log was truncated
    // later.
    if (row.commit.log > written && !row.isSummed) continue;
    if (row.commit.log > written) state.damage.push({ from: state.commit.line + 1, to: row.commit.line, part: "log" });
    Object.assign(state, { head, commit: row.commit, ledgerBytes: row.end, rows, chain, kinds: [...kinds], amended });
  }
  // The damaged row may be the commit: the rows before it stay valid, and the file is read again if it still exists.
  if (lost.isOpen) lost.upTo(Math.max(line, state.commit.line));
  if (line > state.commit.line && isSummed) state.uncovered = line;
  state.head ??= head;
  state.beyond = existsSync(paths.packed)
    ? written > state.commit.log && state.uncovered === null
    : written > Math.max(state.commit.log, state.uncovered === null ? 0 : covered);
  state.newer = (head?.format ?? 1) > PAGE_FORMAT;
  state.damage.push(...lost.ranges);
  return state;
}

/** Which native lines were in unreadable rows: those between the readable rows before and after. */
class LostRows {
  readonly ranges: Damage[] = [];
  #after: number | null = null;

  get isOpen(): boolean {
    return this.#after !== null;
  }

  miss(lastLine: number): void {
    this.#after ??= lastLine;
  }

  found(line: number): void {
    if (this.#after === null) return;
    // The damaged row need not belong to a native line: kinds and headers are in between.
    if (line > this.#after + 1) this.ranges.push({ from: this.#after + 1, to: line - 1, part: "ledger" });
    else this.ranges.push({ from: null, to: null, part: "ledger" });
    this.#after = null;
  }

  upTo(line: number): void {
    this.found(line + 1);
  }
}

export interface LedgerRowRead {
  page?: PageHead;
  row?: LedgerLine;
  kind?: [EntryClass, string, string];
  id?: number;
  commit?: Commit;
  /** Has a checksum, and it is right. */
  isSummed?: boolean;
  /** Not as it was written. */
  isDamaged?: true;
  end: number;
  /** As it stands in the ledger. */
  text: string;
}

function* ledgerRows(path: string): Generator<LedgerRowRead, void, undefined> {
  const stream = openPlain(path, 0);
  let [summed, broken] = [false, false];
  try {
    for (const line of readLines(stream, { line: 0, offset: 0 }, undefined, Number.POSITIVE_INFINITY)) {
      const end = line.offset + line.bytes + 1;
      if (line.text === null) return;
      // Half a row at the end is an unfinished batch, not damage; a complete row without a newline has lost its end.
      const isUnended = !line.terminated && isIntact(line.text.slice(0, -1)) === true;
      if (!line.terminated && !isUnended) return;
      if (isUnended) yield { isDamaged: true, end, text: "" };
      const text = isUnended ? line.text.slice(0, -1) : line.text;
      const whole = isIntact(text);
      summed ||= whole === true;
      // In the first format nothing after a damaged row can be trusted: offsets in the log are counted from row to row.
      if (whole === null && (summed || broken)) {
        yield { isDamaged: true, end, text };
        continue;
      }
      const row = whole === false ? undefined : parseObject(text);
      // A header that names a format always has a checksum; if none is found, the name of that field is damaged.
      const value = whole === null && namesFormat(row) ? undefined : row;
      if (value === undefined) {
        broken = true;
        yield { isDamaged: true, end, text };
      } else if (Array.isArray(value)) yield { row: value as LedgerLine, isSummed: whole === true, end, text };
      else yield { ...(value as Partial<LedgerRowRead>), isSummed: whole === true, end, text };
    }
  } finally {
    stream.close();
  }
}

function namesFormat(row: unknown): boolean {
  return (row as { page?: Partial<PageHead> } | undefined)?.page?.format !== undefined;
}

function parseObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function* placedOf(base: string, state: PageState): Generator<PlacedEntry, void, undefined> {
  const paths = pagePaths(base);
  if (state.ledgerBytes === 0 && state.uncovered === null) return;
  const points = (): SyncPoint[] =>
    [...ledgerRows(paths.ledger)].flatMap(({ commit }) => (commit ? [{ log: commit.log, text: commit.text }] : []));
  const log = new LogText(base, points);
  const isText = state.head === null || /^jsonl|^text$/.test(state.head.container);
  let offset = state.head?.first ?? 0;
  /** Text offset of the next row's records, in the first format. */
  let next = 0;
  let last = 0;
  const kinds: PageState["kinds"] = [];
  const missing = state.damage.flatMap(({ from, to, part }) =>
    from !== null && to !== null && part === "ledger" ? [{ from, to }] : [],
  );
  try {
    for (const { row, kind, id: kindId, end } of ledgerRows(paths.ledger)) {
      const isCovered = end <= state.ledgerBytes;
      if (!isCovered && state.uncovered === null) return;
      if (kind) kinds[kindId ?? kinds.length] = kind;
      if (!row) continue;
      const [id, line, bytes, time, position, turn, identity, count] = row;
      while (missing[0] && missing[0].to < line) yield* lostLines(missing.shift());
      const [cls, reason, native] = kinds[id] ?? (["corrupt", DAMAGED, ""] as const);
      const records = recordsOf(log, row, next);
      next = records?.next ?? next;
      // A log shorter than its ledger after a crash is not damage.
      if (!isCovered && !records) return;
      const entry: Entry = {
        line,
        offset,
        bytes,
        time,
        position: position ?? line,
        tentative: false,
        ...(records && records.records.length === count && kinds[id]
          ? { class: cls, reason, native, records: records.records }
          : { class: "corrupt" as const, reason: DAMAGED, native, records: [unreadable(bytes)] }),
      };
      Object.assign(entry, turnOf(turn));
      if (identity !== null) entry.identity = identity;
      yield { entry, places: records?.places ?? [] };
      if (isText) offset += bytes + 1;
      last = Math.max(last, line);
    }
    for (const range of missing) yield* lostLines(range.to > last ? range : undefined);
  } finally {
    log.close();
  }
}

/** The turn of an entry from its row. */
export function turnOf(turn: LedgerLine[5]): Pick<Entry, "turnId" | "turnLine"> {
  if (turn === null) return {};
  return typeof turn === "number" ? { turnLine: turn } : { turnId: turn };
}

/** Reason of every record that the book held and that cannot be read any more. */
export const DAMAGED = "book.page.damaged";

function* lostLines(range: { from: number; to: number } | undefined): Generator<PlacedEntry, void, undefined> {
  for (let line = range?.from ?? 1; line <= (range?.to ?? 0); line++) {
    const place = { line, offset: 0, bytes: 0, position: line, time: null, tentative: false };
    yield { entry: { ...place, class: "corrupt", reason: DAMAGED, native: "", records: [unreadable(0)] }, places: [] };
  }
}

function unreadable(bytes: number): RecordBody {
  const hint = "this record of the book is damaged; it is read again while the agent's file is there";
  return { type: "unreadable", reason: "not_json", bytes, hint };
}

interface RecordsRead {
  records: RecordBody[];
  places: [number, number][];
  next: number;
}

/** The records of a row; null when their text is not as it was written. */
function recordsOf(log: LogText, row: LedgerLine, next: number): RecordsRead | null {
  const [, , , , , , , count, at, bytes, sum] = row;
  const out: RecordsRead = { records: [], places: [], next };
  if (at === undefined || bytes === undefined) {
    for (let i = 0; i < count; i++) {
      const line = log.line(out.next);
      if (!line) return out;
      out.records.push(bodyOf(line.toString("utf8")));
      out.places.push([out.next, line.length]);
      out.next += line.length;
    }
    return out;
  }
  const text = bytes === 0 ? Buffer.alloc(0) : log.piece(at, bytes);
  if (!text || checksum(text) !== sum) return null;
  for (const [start, end] of linesOf(text)) {
    out.records.push(bodyOf(text.toString("utf8", start, end)));
    out.places.push([at + start, end - start]);
  }
  out.next = at + bytes;
  return out;
}

function* linesOf(text: Buffer): Generator<[start: number, end: number], void, undefined> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf(0x0a, start) + 1;
    yield [start, end];
    start = end;
  }
}

/** A line that was written again keeps its place and has its last content. Only databases have such lines. */
function latestEntries(base: string, state: PageState): PlacedEntry[] {
  const byLine = new Map<number, PlacedEntry>();
  for (const placed of placedOf(base, state)) byLine.set(placed.entry.line, placed);
  return [...byLine.values()].toSorted((a, b) => a.entry.line - b.entry.line);
}

/** Strips the envelope that the log added, which leaves the record as the source yielded it. */
function bodyOf(text: string): RecordBody {
  try {
    const {
      schema_version: _v,
      seq: _s,
      time: _t,
      session_id: _i,
      origin: _o,
      ...body
    } = JSON.parse(text) as Record<string, unknown>;
    return body as unknown as RecordBody;
  } catch {
    // After a power failure a file may have its length but not its content.
    const hint =
      "this record of the book is damaged; `daybook sync --full` reads it again while the agent's file is there";
    return { type: "unreadable", reason: "not_json", bytes: text.length, hint };
  }
}

/** One record of a page's log, by its offset in the text. */
export function readRecord(base: string, at: number, bytes: number): RecordBody | null {
  const text = readText(base, at, bytes);
  return text && bodyOf(text.toString("utf8"));
}

/** The records in a row's text; an `unreadable` record if the checksum does not match. */
export function bodiesIn(text: Buffer, sum: number | undefined, bytes: number): RecordBody[] {
  if (checksum(text) !== sum) return [unreadable(bytes)];
  return Array.from(linesOf(text), ([start, end]) => bodyOf(text.toString("utf8", start, end)));
}

/** A piece of a log's text; null where it cannot be read. */
export function readText(base: string, at: number, bytes: number): Buffer | null {
  const paths = pagePaths(base);
  try {
    if (existsSync(paths.packed)) return readPiece(paths.packed, at, bytes);
    const stream = openPlain(paths.log, at);
    try {
      const buffer = Buffer.alloc(bytes);
      for (let got = 0; got < bytes;) {
        const more = stream.read(buffer, got);
        if (more === 0) return null;
        got += more;
      }
      return buffer;
    } finally {
      stream.close();
    }
  } catch {
    return null;
  }
}
