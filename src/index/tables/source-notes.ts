import { readerVersion } from "../../stored-versions.ts";
import type { IndexStore } from "./index-store.ts";

/**
 * Notes that the sources stored when they last searched, keyed by source and path with a tab between. Notes of another
 * version of the source may mean something else.
 */
export function loadNotes(store: IndexStore): Map<string, string> {
  const rows = store.all("SELECT place, text, reader FROM note");
  const current = rows.filter((row) => row["reader"] === readerOf(String(row["place"])));
  return new Map(current.map((row) => [String(row["place"]), String(row["text"])]));
}

/** Stores new notes. Returns the rows written. */
export function saveNotes(store: IndexStore, notes: ReadonlyMap<string, string>): number {
  if (notes.size === 0) return 0;
  const sql = "INSERT OR REPLACE INTO note (place, text, reader) VALUES (?, ?, ?)";
  store.transaction(() => {
    for (const [place, text] of notes) store.run(sql, place, text, readerOf(place));
  });
  return notes.size;
}

function readerOf(place: string): number {
  return readerVersion(place.slice(0, place.indexOf("\t")));
}
