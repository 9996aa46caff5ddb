import type { IndexStore } from "./index-store.ts";
import type { RowStore } from "./row-store.ts";
import { parseSessionKey } from "../../record/session-key.ts";

/** One session, and how it changed. */
export interface WatchedChange {
  source: string;
  session_id: string;
  /** `removed`: its files contain another session now. A session whose files are gone stays in the book. */
  change: "appeared" | "changed" | "removed";
}

/** Records that some row of the session changed. */
export function recordChange(store: RowStore, session: string): void {
  // The new row gets a higher number than all others, including the one it replaces.
  store.run("INSERT OR REPLACE INTO change (session) VALUES (?)", session);
}

/** Tracks changes to the sessions of an index, whichever process writes them. */
export class ChangeFeed {
  readonly #known = new Set<string>();
  #last = 0;
  #file: string | null = null;

  /** Sessions that exist at the beginning are not reported. */
  constructor(store: IndexStore | null) {
    if (store) this.#learn(store);
  }

  #learn(store: IndexStore): void {
    for (const row of store.all("SELECT key FROM session")) this.#known.add(String(row["key"]));
    this.#last = Number(store.get("SELECT max(n) AS n FROM change")?.["n"] ?? 0);
    this.#file = store.file;
  }

  /** Changes since the last call, in order; everything if the index was rebuilt. */
  take(store: IndexStore): WatchedChange[] {
    if (this.#file !== store.file) this.#last = 0;
    this.#file = store.file;
    const rows = store.all(
      `SELECT c.n, c.session, s.key IS NOT NULL AS lives FROM change c LEFT JOIN session s ON s.key = c.session
       WHERE c.n > ? ORDER BY c.n`,
      this.#last,
    );
    this.#last = Number(rows.at(-1)?.["n"] ?? this.#last);
    return rows.flatMap((row) => this.#changeOf(String(row["session"]), row["lives"] === 1));
  }

  #changeOf(key: string, lives: boolean): WatchedChange[] {
    const wasThere = lives ? this.#known.has(key) : this.#known.delete(key);
    if (!lives && !wasThere) return [];
    if (lives) this.#known.add(key);
    const change = !lives ? "removed" : wasThere ? "changed" : "appeared";
    return [{ ...parseSessionKey(key), change }];
  }
}
