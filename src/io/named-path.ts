import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Marks of repositories and notes in them are short. */
const LARGEST = 1024 * 1024;

/**
 * True for the name of another machine. Sessions name directories, and whoever wrote one may name any: to look at such a path
 * would be to call that machine, with the user's name and password on some systems.
 */
export function isElsewhere(path: string): boolean {
  return /^(?:[\\/]{2}|file:[\\/]{2}[^\\/])/i.test(path);
}

/**
 * The text of a file in a directory that a session names; null where there is none. Not of a pipe, which would be waited for, nor
 * of a device, nor of anything larger than a note is.
 */
export function textAt(path: string, most: number = LARGEST): string | null {
  if (isElsewhere(path)) return null;
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > most) return null;
    const bytes = Buffer.alloc(stat.size);
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, 0));
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}
