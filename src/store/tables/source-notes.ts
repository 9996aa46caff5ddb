import type { IndexStore } from "./index-store.ts";

/** Notes that the sources stored when they last searched, keyed by source and path with a tab between. */
export function loadNotes(store: IndexStore): Map<string, string> {
  const rows = store.all("SELECT place, text FROM note");
  return new Map(rows.map((row) => [String(row["place"]), String(row["text"])]));
}

/** Stores new notes. Returns the rows written. */
export function saveNotes(store: IndexStore, notes: ReadonlyMap<string, string>): number {
  if (notes.size === 0) return 0;
  const sql = "INSERT INTO note (place, text) VALUES (?, ?) ON CONFLICT (place) DO UPDATE SET text = excluded.text";
  store.transaction(() => {
    for (const [place, text] of notes) store.run(sql, place, text);
  });
  return notes.size;
}
