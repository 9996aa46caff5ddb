import { closeSync, fsyncSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { reportDiskFull, syncDirectory, writeAll } from "../../base/io/disk.ts";

/** Appends whole lines to a file of the book; returns when they are on disk. A torn last line is ended first. */
export function appendLines(path: string, lines: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  reportDiskFull(path, lines.length, () => {
    const fd = openSync(path, "a+", 0o600);
    try {
      writeAll(fd, Buffer.from(isTorn(fd) ? `\n${lines}` : lines), path);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  });
  syncDirectory(dirname(path));
}

function isTorn(fd: number): boolean {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}
