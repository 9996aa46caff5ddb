import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  MarkFilter,
  type Label,
  type MarkChoice,
  type Marks,
  type Note,
  type SessionMarks,
} from "../../views/marks.ts";
import { reportDiskFull } from "../../base/io/disk.ts";
import type { Diagnostic } from "../../agents/contract.ts";
import { order } from "../../base/text/order.ts";
import { plural } from "../../base/text/units.ts";
import { isIntact } from "../../book/pages/checksum.ts";
import { moveOver } from "../../base/io/move-over.ts";
import { countedRows, countRows } from "../../book/pages/row-count.ts";

/** What a mark is on: a session, by its key, or one of its turns. */
export interface MarkPlace {
  session: string;
  turn: string | null;
}

/** One change to the marks of one place. */
export type MarkChange =
  | { do: "star" }
  | { do: "unstar" }
  | { do: "close" }
  | { do: "reopen" }
  | { do: "label"; key: string; value: string | null }
  | { do: "unlabel"; key: string }
  | { do: "note"; id: string; text: string }
  | { do: "unnote"; id: string };

/** A row of the file: what was changed, where and when. A checksum follows. */
export type MarkRow = MarkPlace & { time: string } & MarkChange;

export function marksFile(home: string): string {
  return join(home, "book", "marks.jsonl");
}

const NONE: ReadonlyMap<string, SessionMarks> = new Map();

/**
 * Marks of sessions and turns, from one append-only file of the book; the last row about a mark wins. The file is read
 * on demand and its content never enters the index, so rebuilding the index cannot lose it.
 */
export class BookMarks {
  readonly bySession: ReadonlyMap<string, SessionMarks>;
  /** Lines whose checksum is wrong. */
  readonly damaged: readonly number[];
  /** How many rows the file has, and how many it once had. */
  readonly rows: { found: number; counted: number };
  /** Byte offset of a last row that a crash cut short, or null. It is truncated before the next row is added. */
  readonly tornAt: number | null;
  /** Changes whenever the file does. */
  readonly stamp: string;
  /** The highest number of any note so far, including removed notes. */
  readonly lastNote: number;
  readonly #path: string | null;

  constructor(home: string | undefined) {
    this.#path = home === undefined ? null : marksFile(home);
    this.stamp = stampOf(this.#path);
    const { rows, damaged, tornAt } = this.stamp === "" || this.#path === null ? NOTHING : rowsOf(this.#path);
    this.bySession = rows.length === 0 ? NONE : replayRows(rows);
    this.damaged = damaged;
    this.rows = { found: rows.length + damaged.length, counted: this.#path === null ? 0 : countedRows(this.#path) };
    this.tornAt = tornAt;
    this.lastNote = rows.reduce((last, row) => Math.max(last, row.do === "note" ? numberOf(row.id) : 0), 0);
  }

  /** The file has changed since it was read. */
  get isOutdated(): boolean {
    return stampOf(this.#path) !== this.stamp;
  }

  ofSession(key: string): SessionMarks | null {
    return this.bySession.get(key) ?? null;
  }

  ofTurn(key: string, ref: string): Marks | null {
    const found = this.bySession.get(key)?.turns.find(({ turn_ref }) => turn_ref === ref);
    if (!found) return null;
    const { turn_ref: _, ...marks } = found;
    return marks;
  }

  /** The marks of a place, empty ones if it has none. */
  at({ session, turn }: MarkPlace): Marks {
    return (turn === null ? this.ofSession(session) : this.ofTurn(session, turn)) ?? noMarks();
  }

  /** Damaged and missing rows. */
  problems(): Diagnostic[] {
    if (this.#path === null) return [];
    const about = { code: "page_damaged", source: "book", path: this.#path } as const;
    const lost = this.damaged.map((line) => ({ ...about, line, message: "a label, star or note is damaged and lost" }));
    const { found, counted } = this.rows;
    if (found >= counted) return lost;
    const missing = `${plural(counted - found, "change")} of labels, stars and notes`;
    return [...lost, { ...about, message: `${missing} are missing: the file was cut or replaced` }];
  }

  chosen(choice: MarkChoice): MarkFilter {
    return new MarkFilter(this.bySession, choice);
  }
}

const NOTHING: FileRows = { rows: [], damaged: [], tornAt: null };

function noMarks(): Marks {
  return { starred: false, closed: false, labels: [], notes: [] };
}

function numberOf(id: string): number {
  return Number(/^n(\d{1,15})$/.exec(id)?.[1] ?? 0);
}

function stampOf(path: string | null): string {
  const file = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  return file ? `${file.ino} ${file.size} ${file.mtimeMs}` : "";
}

interface FileRows {
  rows: MarkRow[];
  damaged: number[];
  tornAt: number | null;
}

function rowsOf(path: string): FileRows {
  const bytes = readFileSync(path);
  const [rows, damaged]: [MarkRow[], number[]] = [[], []];
  const lines = bytes.toString("utf8").split("\n");
  for (const [i, line] of lines.entries()) {
    if (line === "") continue;
    const row = isIntact(line) === true ? rowFrom(line) : null;
    if (row) rows.push(row);
    // A torn row at the end of the file was never reported as written.
    else if (i === lines.length - 1) return { rows, damaged, tornAt: bytes.lastIndexOf(0x0a) + 1 };
    else damaged.push(i + 1);
  }
  return { rows, damaged, tornAt: null };
}

function rowFrom(line: string): MarkRow | null {
  try {
    const row = JSON.parse(line) as Partial<MarkRow>;
    return typeof row.session === "string" && typeof row.do === "string" ? (row as MarkRow) : null;
  } catch {
    return null;
  }
}

interface MarksDraft {
  starred: boolean;
  closed: boolean;
  labels: Map<string, Label>;
  notes: Map<string, Note>;
}

function replayRows(rows: readonly MarkRow[]): Map<string, SessionMarks> {
  const drafts = new Map<string, Map<string | null, MarksDraft>>();
  for (const row of rows) {
    const places = drafts.get(row.session) ?? new Map<string | null, MarksDraft>();
    drafts.set(row.session, places);
    const draft = places.get(row.turn) ?? { starred: false, closed: false, labels: new Map(), notes: new Map() };
    places.set(row.turn, draft);
    apply(draft, row);
  }
  const out = new Map<string, SessionMarks>();
  for (const [key, places] of drafts) {
    const turns = [...places]
      .flatMap(([ref, draft]) => (ref === null || isEmpty(draft) ? [] : [{ turn_ref: ref, ...marksOf(draft) }]))
      .toSorted((a, b) => order(a.turn_ref, b.turn_ref));
    const own = places.get(null);
    if (turns.length > 0 || (own && !isEmpty(own))) out.set(key, { ...(own ? marksOf(own) : noMarks()), turns });
  }
  return out;
}

function apply(draft: MarksDraft, row: MarkRow): void {
  switch (row.do) {
    case "star":
      draft.starred = true;
      break;
    case "unstar":
      draft.starred = false;
      break;
    case "close":
      draft.closed = true;
      break;
    case "reopen":
      draft.closed = false;
      break;
    case "label":
      draft.labels.set(row.key, { key: row.key, value: row.value });
      break;
    case "unlabel":
      draft.labels.delete(row.key);
      break;
    case "note":
      draft.notes.set(row.id, { id: row.id, text: row.text, time: row.time });
      break;
    case "unnote":
      draft.notes.delete(row.id);
      break;
    default:
    // Written by a later version: its effect is unknown here.
  }
}

function isEmpty({ starred, closed, labels, notes }: MarksDraft): boolean {
  return !starred && !closed && labels.size === 0 && notes.size === 0;
}

function marksOf({ starred, closed, labels, notes }: MarksDraft): Marks {
  return {
    starred,
    closed,
    labels: [...labels.values()].toSorted((a, b) => order(a.key, b.key)),
    notes: [...notes.values()],
  };
}

/** Removes the marks of sessions from the book, atomically; rows that cannot be parsed are removed as well. */
export function forgetMarks(home: string, sessions: ReadonlySet<string>): void {
  const path = marksFile(home);
  if (stampOf(path) === "") return;
  const before = readFileSync(path, "utf8");
  const rest = before.split("\n").filter((line) => {
    const row = line === "" ? null : rowFrom(line);
    return row !== null && !sessions.has(row.session);
  });
  const text = rest.map((line) => `${line}\n`).join("");
  if (text === before) return;
  reportDiskFull(path, text.length, () => writeFileSync(`${path}.new`, text, { mode: 0o600 }));
  moveOver(`${path}.new`, path);
  countRows(path, rest.length);
}
