import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";

/** What may stand where a file is expected, and would be waited for, or never end. */
export function oddKind(stat: Stats): string | null {
  if (stat.isFIFO()) return "a pipe";
  if (stat.isSocket()) return "a socket";
  return stat.isCharacterDevice() || stat.isBlockDevice() ? "a device" : null;
}

/** Opens a file for reading. Not a pipe, whose reader waits for a writer that may never come, nor a device. */
export function openFile(path: string): number {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const odd = oddKind(fstatSync(fd));
  if (odd === null) return fd;
  closeSync(fd);
  throw new Error(`${path} is ${odd}, and not read`);
}

/** All of a file that was found beside sessions, or is one. */
export function readText(path: string): string {
  const fd = openFile(path);
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}
