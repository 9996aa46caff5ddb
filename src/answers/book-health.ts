import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { baseOf } from "../book/pages/page-format.ts";

/** Where the book is, and how much disk space it takes. */
export interface BookHealth {
  path: string;
  /** Session files it holds. */
  pages: number;
  bytes: number;
  /** Size of the index, which may be deleted at any time. */
  index_bytes: number;
  /** Sessions that were forgotten. */
  forgotten: number;
}

export function bookHealth(home: string, forgotten: number): BookHealth {
  const book = join(home, "book");
  const files = existsSync(book) ? readdirSync(book, { withFileTypes: true, recursive: true }) : [];
  let [pages, bytes] = [0, 0];
  for (const entry of files) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    bytes += sizeOf(path);
    if (baseOf(path) !== null) pages++;
  }
  const index = ["index.db", "index.db-wal"].reduce((sum, name) => sum + sizeOf(join(home, name)), 0);
  return { path: home, pages, bytes, index_bytes: index, forgotten };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
