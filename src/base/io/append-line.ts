import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Appends a value as one JSON line to an append-only file, in one write. `flush`: on disk before it returns. */
export function appendLine(path: string, value: unknown, { flush = false }: { flush?: boolean } = {}): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, "a+", 0o600);
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    // An interrupted writer may have left half a line: start a new line instead of extending that one.
    const isOpen = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
    writeSync(file, `${isOpen ? "\n" : ""}${JSON.stringify(value)}\n`);
    if (flush) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
