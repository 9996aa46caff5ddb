import type { Row } from "../../io/sqlite.ts";
import type { SessionView } from "../../answers/session-view.ts";
import { parseRow } from "../tables/damaged-index.ts";
import type { IndexStore } from "../tables/index-store.ts";

/** A turn by its session's key and its own name. */
export interface TurnPlace {
  key: string;
  ref: string;
  /** It was done by a session that the turn caused. */
  isBelow: boolean;
}

interface Range {
  ref: string;
  first: number;
  last: number;
}

/** More sessions that caused one another than these are a circle. */
const DEEPEST = 8;

/** Says to which turn a line of a file belongs. Looks every file and every session up once. */
export class Places {
  readonly #store: IndexStore;
  readonly #isMeant: (key: string) => boolean;
  readonly #units = new Map<number, Row | null>();
  readonly #ranges = new Map<number, Range[]>();
  readonly #sessions = new Map<string, SessionView | null>();

  constructor(store: IndexStore, isMeant: (key: string) => boolean) {
    this.#store = store;
    this.#isMeant = isMeant;
  }

  /** The file with its session; null where it is not asked about. */
  unit(id: number): Row | null {
    let row = this.#units.get(id);
    if (row === undefined) {
      row =
        this.#store.get(
          `SELECT u.path, u.page, u.source, u.session_id, s.key, s.project
           FROM unit u JOIN session s ON s.key = u.source || '/' || u.session_id WHERE u.id = ?`,
          id,
        ) ?? null;
      this.#units.set(id, row);
    }
    return row;
  }

  /** Null where the line belongs to no turn that is asked about. */
  turnAt(unit: number, line: number): TurnPlace | null {
    const file = this.unit(unit);
    if (!file) return null;
    const key = String(file["key"]);
    const range = this.#rangesOf(unit, key, String(file["path"])).findLast(
      ({ first, last }) => first <= line && line <= last,
    );
    const place = range ? { key, ref: range.ref, isBelow: false } : this.#cause(key);
    return place !== null && this.#isMeant(place.key) ? place : null;
  }

  session(key: string): SessionView | null {
    let view = this.#sessions.get(key);
    if (view === undefined) {
      const row = this.#store.get("SELECT view FROM session WHERE key = ?", key);
      // A search of files alone keeps no views: what its sub-agents wrote belongs to no turn there.
      view = row && row["view"] !== "" ? (parseRow(row["view"]) as SessionView) : null;
      this.#sessions.set(key, view);
    }
    return view;
  }

  /** In the order of the file; a line that two claim belongs to the later. */
  #rangesOf(unit: number, key: string, path: string): Range[] {
    let ranges = this.#ranges.get(unit);
    if (!ranges) {
      // Where a session has one file, the short index tells all there is to know.
      const where = this.#hasOneFile(key) ? "session = ?" : "session = ? AND path = ?";
      const params = where.includes("path") ? [key, path] : [key];
      ranges = this.#store
        .list(`SELECT ref, first, last FROM turn WHERE ${where} ORDER BY first`, ...params)
        .map(([ref, first, last]) => ({ ref: String(ref), first: Number(first), last: Number(last) }));
      this.#ranges.set(unit, ranges);
    }
    return ranges;
  }

  #hasOneFile(key: string): boolean {
    const slash = key.indexOf("/");
    const [source, id] = [key.slice(0, slash), key.slice(slash + 1)];
    return this.#store.list("SELECT id FROM unit WHERE source = ? AND session_id = ? LIMIT 2", source, id).length < 2;
  }

  /** The human's turn that caused a session, directly or through others. */
  #cause(key: string): TurnPlace | null {
    let view = this.session(key);
    for (let depth = 0; depth < DEEPEST && view?.parent; depth++) {
      const parent = `${view.parent.source}/${view.parent.session_id}`;
      if (view.parent_turn !== null) return { key: parent, ref: view.parent_turn, isBelow: true };
      view = this.session(parent);
    }
    return null;
  }
}
