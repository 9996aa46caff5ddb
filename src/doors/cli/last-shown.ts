import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quickHash } from "../../base/io/hash.ts";
import { parseJson } from "../../base/io/json.ts";
import { moveOver } from "../../base/io/move-over.ts";

/**
 * What was shown to the user, in one small file beside the book, so that hints and notes are not repeated. Deleting the
 * file loses nothing else.
 */
interface LastShown {
  schema_version: 1;
  /** The first-use hints were shown. */
  is_guided: boolean;
  /** Hashes of the notes that are said once a day, and the day. */
  said?: { day: string; notes: string[] };
}

const NONE: LastShown = { schema_version: 1, is_guided: false };

function fileIn(book: string): string {
  return join(book, "terminal.json");
}

function readLastShown(book: string): LastShown {
  try {
    const value: unknown = parseJson(readFileSync(fileIn(book), "utf8"));
    return isLastShown(value) ? value : NONE;
  } catch {
    return NONE;
  }
}

function isLastShown(value: unknown): value is LastShown {
  return (
    typeof value === "object" &&
    value !== null &&
    "schema_version" in value &&
    value.schema_version === 1 &&
    "is_guided" in value
  );
}

/** Only if there is a book. A file that cannot be written is not an error. */
function writeLastShown(book: string, shown: LastShown, before: LastShown): void {
  const text = `${JSON.stringify(shown)}\n`;
  if (text === `${JSON.stringify(before)}\n` || !existsSync(join(book, "book"))) return;
  const fresh = `${fileIn(book)}.${process.pid}`;
  try {
    writeFileSync(fresh, text, { mode: 0o600 });
    moveOver(fresh, fileIn(book));
  } catch {
    rmSync(fresh, { force: true });
  }
}

/** Whether to show the first-use hints; true at most once. */
export function shouldShowHints(book: string): boolean {
  const before = readLastShown(book);
  if (before.is_guided || !existsSync(join(book, "book"))) return false;
  writeLastShown(book, { ...before, is_guided: true }, before);
  // If nothing can be stored, show nothing: the hints would appear every time.
  return readLastShown(book).is_guided;
}

/** Whether this was said today, according to the file; from now on it was. */
export function wasSaidToday(book: string, day: string, text: string): boolean {
  const before = readLastShown(book);
  const note = quickHash(text);
  const notes = before.said?.day === day && Array.isArray(before.said.notes) ? before.said.notes : [];
  if (notes.includes(note)) return true;
  writeLastShown(book, { ...before, said: { day, notes: [...notes, note] } }, before);
  return false;
}
