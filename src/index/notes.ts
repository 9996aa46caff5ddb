import type { IndexStore } from "./store.ts";

const PREFIX = "note:";
const AFTER = "note;";

/** What the sources noted when they looked last, by source and path with a tab between. */
export function keptNotes(store: IndexStore): Map<string, string> {
  const rows = store.all("SELECT key, value FROM meta WHERE key >= ? AND key < ?", PREFIX, AFTER);
  return new Map(rows.map((row) => [String(row["key"]).slice(PREFIX.length), String(row["value"])]));
}

/** Keeps what they noted now. Returns the rows written. */
export function keepNotes(store: IndexStore, notes: ReadonlyMap<string, string>): number {
  if (notes.size === 0) return 0;
  store.transaction(() => {
    for (const [key, text] of notes) store.setMeta(PREFIX + key, text);
  });
  return notes.size;
}
