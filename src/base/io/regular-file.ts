import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";

/** Names the kind of a special file, whose reading may block or never end; null for other files. */
export function specialFileKind(stat: Stats): string | null {
  if (stat.isFIFO()) return "a pipe";
  if (stat.isSocket()) return "a socket";
  return stat.isCharacterDevice() || stat.isBlockDevice() ? "a device" : null;
}

/** Opens a file for reading. Rejects devices, and pipes, which would block until somebody writes. */
export function openFile(path: string): number {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const odd = specialFileKind(fstatSync(fd));
  if (odd === null) return fd;
  closeSync(fd);
  throw new Error(`${path} is ${odd}, and not read`);
}

/** Reads a session file, or a file found beside sessions, as a whole. */
export function readText(path: string): string {
  const fd = openFile(path);
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}
