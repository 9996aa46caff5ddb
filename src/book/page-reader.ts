import { existsSync, statSync } from "node:fs";
import { openPlain } from "../io/bytes.ts";
import { readLines } from "../io/lines.ts";
import type { RecordBody } from "../log/record.ts";
import type { Entry, EntryClass } from "../sources/source.ts";
import { openFrames, readPiece } from "./frames.ts";
import { emptyState, pagePaths, type Commit, type LedgerLine, type PageHead, type PageState } from "./page-format.ts";

/** An entry, and where in the log's text each of its records stands, as offset and length. */
export interface Placed {
  entry: Entry;
  places: [number, number][];
}

export interface Page {
  state: PageState;
  /** Everything known of the file: what is certain, then the uncertain tail. Reads log and ledger once, side by side. */
  entries: () => Generator<Entry, void, undefined>;
  /** Only what is certain. */
  placed: () => Iterable<Placed>;
}

export function readPage(base: string): Page {
  const state = scanLedger(base);
  const placed = (): Iterable<Placed> => (state.amended ? latest(base, state) : placedOf(base, state));
  return {
    state,
    placed,
    *entries() {
      for (const { entry } of placed()) yield entry;
      for (const tail of state.commit.tail) if (tail.line > state.commit.line) yield tail;
    },
  };
}

export function pageExists(base: string): boolean {
  return existsSync(pagePaths(base).ledger);
}

/** Finds the last commit whose records are all on disk. Cheap: rows are short and not turned into entries. */
function scanLedger(base: string): PageState {
  const paths = pagePaths(base);
  const state = emptyState();
  if (!existsSync(paths.ledger)) return state;
  const kinds: PageState["kinds"] = [];
  const written = statSync(existsSync(paths.packed) ? paths.packed : paths.log, { throwIfNoEntry: false })?.size ?? 0;
  let head: PageHead | null = null;
  let line = 0;
  let amended = false;
  for (const row of ledgerRows(paths.ledger)) {
    if (row.kind) kinds.push(row.kind);
    if (row.page) head = row.page;
    if (row.row) {
      amended ||= row.row[1] <= line;
      line = Math.max(line, row.row[1]);
    }
    if (!row.commit || row.commit.log > written) continue;
    Object.assign(state, { head, commit: row.commit, ledgerBytes: row.end, kinds: [...kinds], amended });
  }
  return state;
}

interface LedgerRowRead {
  page?: PageHead;
  row?: LedgerLine;
  kind?: [EntryClass, string, string];
  commit?: Commit;
  end: number;
}

function* ledgerRows(path: string): Generator<LedgerRowRead, void, undefined> {
  const stream = openPlain(path, 0);
  try {
    for (const line of readLines(stream, { line: 0, offset: 0 }, undefined, Number.POSITIVE_INFINITY)) {
      // A torn or damaged row ends what can be trusted; everything before it stands.
      if (!line.terminated || line.text === null) return;
      let value: unknown;
      try {
        value = JSON.parse(line.text);
      } catch {
        return;
      }
      const end = line.offset + line.bytes + 1;
      if (Array.isArray(value)) yield { row: value as LedgerLine, end };
      else yield { ...(value as Partial<LedgerRowRead>), end };
    }
  } finally {
    stream.close();
  }
}

function* placedOf(base: string, state: PageState): Generator<Placed, void, undefined> {
  const paths = pagePaths(base);
  if (state.ledgerBytes === 0) return;
  const stream = existsSync(paths.packed) ? openFrames(paths.packed) : openPlain(paths.log, 0);
  // Nothing may be cut out of what was once read whole.
  const log = readLines(stream, { line: 0, offset: 0 }, undefined, Number.POSITIVE_INFINITY);
  const isText = state.head === null || /^jsonl|^text$/.test(state.head.container);
  let offset = state.head?.first ?? 0;
  const kinds: PageState["kinds"] = [];
  try {
    for (const { row, kind, end } of ledgerRows(paths.ledger)) {
      if (end > state.ledgerBytes) return;
      if (kind) kinds.push(kind);
      if (!row) continue;
      const [id, line, bytes, time, position, turnId, identity, count] = row;
      const [cls, reason, native] = kinds[id] ?? (["unknown", "book.ledger.damaged", ""] as const);
      const records: RecordBody[] = [];
      const places: [number, number][] = [];
      for (let i = 0; i < count; i++) {
        const next = log.next();
        if (next.done) break;
        records.push(bodyOf(next.value.text ?? ""));
        places.push([next.value.offset, next.value.bytes + 1]);
      }
      const entry: Entry = {
        ...{ line, offset, bytes, class: cls, reason, native, time, position: position ?? line, records },
        tentative: false,
      };
      if (turnId !== null) entry.turnId = turnId;
      if (identity !== null) entry.identity = identity;
      yield { entry, places };
      if (isText) offset += bytes + 1;
    }
  } finally {
    stream.close();
  }
}

/** Lines told again stand where they were first told, as they were told last. Only stores of rows have such lines. */
function latest(base: string, state: PageState): Placed[] {
  const byLine = new Map<number, Placed>();
  for (const placed of placedOf(base, state)) byLine.set(placed.entry.line, placed);
  return [...byLine.values()].toSorted((a, b) => a.entry.line - b.entry.line);
}

/** The envelope is the log's own; what is left is the record as the source gave it. */
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
    // A disk that lost power may have kept the length of a file and not its bytes.
    const hint =
      "this record of the book is damaged; `daybook sync --full` reads it again while the agent's file is there";
    return { type: "unreadable", reason: "not_json", bytes: text.length, hint };
  }
}

/** One record of a page's log, by its place in the text. */
export function readRecord(base: string, at: number, bytes: number): RecordBody | null {
  const paths = pagePaths(base);
  try {
    if (existsSync(paths.packed)) return bodyOf(readPiece(paths.packed, at, bytes));
    const stream = openPlain(paths.log, at);
    try {
      const buffer = Buffer.alloc(bytes);
      for (let got = 0; got < bytes;) {
        const more = stream.read(buffer, got);
        if (more === 0) return null;
        got += more;
      }
      return bodyOf(buffer.toString("utf8"));
    } finally {
      stream.close();
    }
  } catch {
    return null;
  }
}
