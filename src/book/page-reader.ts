import { existsSync } from "node:fs";
import { openPlain } from "../io/bytes.ts";
import { readLines } from "../io/lines.ts";
import type { RecordBody } from "../log/record.ts";
import type { Entry, EntryClass } from "../sources/source.ts";
import { openFrames, readPiece } from "./frames.ts";
import { pagePaths, type Commit, type LedgerLine, type PageState } from "./page-format.ts";

/** A page's committed entries, and where it stands. Iterating reads both files once, side by side. */
export function readPage(base: string): { state: PageState; entries: () => Generator<Entry, void, undefined> } {
  const state = scanLedger(pagePaths(base).ledger);
  return { state, entries: () => entriesOf(base, state) };
}

/** Finds the last commit. Cheap: rows are short and not turned into entries. */
function scanLedger(path: string): PageState {
  const state: PageState = {
    kinds: [],
    commit: { line: 0, offset: 0, log: 0, text: 0, seq: 0, tail: [] },
    ledgerBytes: 0,
  };
  const kinds: PageState["kinds"] = [];
  for (const row of ledgerRows(path)) {
    if (row.kind) kinds.push(row.kind);
    if (!row.commit) continue;
    state.commit = row.commit;
    state.ledgerBytes = row.end;
    state.kinds = [...kinds];
  }
  return state;
}

interface LedgerRowRead {
  row?: LedgerLine;
  kind?: [EntryClass, string, string];
  commit?: Commit;
  end: number;
}

function* ledgerRows(path: string): Generator<LedgerRowRead, void, undefined> {
  const stream = openPlain(path, 0);
  try {
    for (const line of readLines(stream, { line: 0, offset: 0 })) {
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

function* entriesOf(base: string, state: PageState): Generator<Entry, void, undefined> {
  const paths = pagePaths(base);
  const stream = existsSync(paths.packed) ? openFrames(paths.packed) : openPlain(paths.log, 0);
  const log = readLines(stream, { line: 0, offset: 0 });
  let offset = 0;
  let read = 0;
  const kinds: PageState["kinds"] = [];
  try {
    for (const { row, kind, end } of ledgerRows(paths.ledger)) {
      if (end > state.ledgerBytes) break;
      if (kind) kinds.push(kind);
      if (!row) continue;
      const [id, line, bytes, time, position, turnId, identity, count] = row;
      const [cls, reason, native] = kinds[id] ?? (["unknown", "book.ledger.damaged", ""] as const);
      const records: RecordBody[] = [];
      for (let i = 0; i < count; i++) {
        const next = log.next();
        if (next.done) break;
        records.push(bodyOf(next.value.text ?? "{}"));
      }
      yield entry(
        {
          line,
          offset,
          bytes,
          class: cls,
          reason,
          native,
          time,
          position: position || line,
          records,
          tentative: false,
        },
        turnId,
        identity,
      );
      offset += bytes + 1;
      read = line;
    }
    for (const tail of state.commit.tail) if (tail.line > read) yield tail;
  } finally {
    stream.close();
  }
}

function entry(base: Entry, turnId: string | null, identity: string | null): Entry {
  if (turnId !== null) base.turnId = turnId;
  if (identity !== null) base.identity = identity;
  return base;
}

/** The envelope is the log's own; what is left is the record as the source gave it. */
function bodyOf(text: string): RecordBody {
  const {
    schema_version: _v,
    seq: _s,
    time: _t,
    session_id: _i,
    origin: _o,
    ...body
  } = JSON.parse(text) as Record<string, unknown>;
  return body as unknown as RecordBody;
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
