import { readerVersion } from "../../stored-versions.ts";
import type { IndexStore } from "./index-store.ts";

/**
 * Notes that the sources stored when they last searched, keyed by source and path with a tab between. Notes of another
 * version of the source may mean something else.
 */
export function loadNotes(store: IndexStore): Map<string, string> {
  const rows = store.all("SELECT key, text, reader FROM note");
  const current = rows.filter((row) => row["reader"] === readerOf(String(row["key"])));
  return new Map(current.map((row) => [String(row["key"]), String(row["text"])]));
}

/** Stores new notes. Returns the rows written. */
export function saveNotes(store: IndexStore, notes: ReadonlyMap<string, string>): number {
  if (notes.size === 0) return 0;
  const sql = "INSERT OR REPLACE INTO note (key, text, reader) VALUES (?, ?, ?)";
  store.transaction(() => {
    for (const [key, text] of notes) store.run(sql, key, text, readerOf(key));
  });
  return notes.size;
}

function readerOf(key: string): number {
  return readerVersion(key.slice(0, key.indexOf("\t")));
}
