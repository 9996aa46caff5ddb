import type { Row } from "../../base/io/sqlite.ts";
import type { SessionView } from "../../views/session-view.ts";
import { parseRow } from "../tables/damaged-index.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { parseSessionKey, sessionKey, sessionKeySql } from "../../record/session-key.ts";

/** A turn, identified by its session's key and its own ref. */
export interface LineOwner {
  key: string;
  ref: string;
  /** The work was done by a session that the turn started. */
  isBelow: boolean;
}

interface Range {
  ref: string;
  first: number;
  last: number;
}

/** Longer chains of parents are cycles. */
const DEEPEST = 8;

/** Finds the turn that a line of a file belongs to. Looks up every file and session once. */
export class TurnPlaces {
  readonly #store: IndexStore;
  readonly #isMeant: (key: string) => boolean;
  readonly #files = new Map<number, Row | null>();
  readonly #ranges = new Map<number, Range[]>();
  readonly #sessions = new Map<string, SessionView | null>();

  constructor(store: IndexStore, isMeant: (key: string) => boolean) {
    this.#store = store;
    this.#isMeant = isMeant;
  }

  /** The file with its session; null when it is not in the index. */
  file(id: number): Row | null {
    let row = this.#files.get(id);
    if (row === undefined) {
      row =
        this.#store.get(
          `SELECT u.path, u.page, u.source, u.session_id, s.key, s.project
           FROM file u JOIN session s ON s.key = ${sessionKeySql("u")} WHERE u.id = ?`,
          id,
        ) ?? null;
      this.#files.set(id, row);
    }
    return row;
  }

  /** Null when the line belongs to no turn in scope. */
  turnAt(id: number, line: number): LineOwner | null {
    const file = this.file(id);
    if (!file) return null;
    const key = String(file["key"]);
    const range = this.#rangesOf(id, key, String(file["path"])).findLast(
      ({ first, last }) => first <= line && line <= last,
    );
    const place = range ? { key, ref: range.ref, isBelow: false } : this.#cause(key);
    return place !== null && this.#isMeant(place.key) ? place : null;
  }

  session(key: string): SessionView | null {
    let view = this.#sessions.get(key);
    if (view === undefined) {
      const row = this.#store.get("SELECT view FROM session WHERE key = ?", key);
      // A search without a book stores no views: there the texts of sub-agents belong to no turn.
      view = row && row["view"] !== "" ? (parseRow(row["view"]) as SessionView) : null;
      this.#sessions.set(key, view);
    }
    return view;
  }

  /** In file order; where two ranges overlap, the later one wins. */
  #rangesOf(file: number, key: string, path: string): Range[] {
    let ranges = this.#ranges.get(file);
    if (!ranges) {
      // If a session has one file, the shorter index is enough.
      const where = this.#hasOneFile(key) ? "session = ?" : "session = ? AND path = ?";
      const params = where.includes("path") ? [key, path] : [key];
      ranges = this.#store
        .list(`SELECT ref, first, last FROM turn WHERE ${where} ORDER BY first`, ...params)
        .map(([ref, first, last]) => ({ ref: String(ref), first: Number(first), last: Number(last) }));
      this.#ranges.set(file, ranges);
    }
    return ranges;
  }

  #hasOneFile(key: string): boolean {
    const { source, session_id: id } = parseSessionKey(key);
    return this.#store.list("SELECT id FROM file WHERE source = ? AND session_id = ? LIMIT 2", source, id).length < 2;
  }

  /** The human's turn that started a session, directly or through other sessions. */
  #cause(key: string): LineOwner | null {
    let view = this.session(key);
    for (let depth = 0; depth < DEEPEST && view?.parent; depth++) {
      const parent = sessionKey(view.parent);
      if (view.parent_turn !== null) return { key: parent, ref: view.parent_turn, isBelow: true };
      view = this.session(parent);
    }
    return null;
  }
}
