import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Repository metadata files are small. */
const LARGEST = 1024 * 1024;

/**
 * True for a path on another machine. Sessions name arbitrary directories, and whoever wrote a session may name any:
 * looking at such a path would contact that machine, on some systems with the user's credentials.
 */
export function isNetworkPath(path: string): boolean {
  return /^(?:[\\/]{2}|file:[\\/]{2}[^\\/])/i.test(path);
}

/**
 * The text of a file in a directory named by a session; null if it does not exist. Pipes (which could block), devices
 * and files larger than `most` are not read.
 */
export function textAt(path: string, most: number = LARGEST): string | null {
  if (isNetworkPath(path)) return null;
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
