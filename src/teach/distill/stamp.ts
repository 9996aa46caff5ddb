import { closeSync, fstatSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { withLock, type JsonObject } from "../json-file.ts";
import { moveOver } from "../../base/io/move-over.ts";

/**
 * Marks lines of a log as distilled. Nothing else changes, not even bytes that are not valid text, and whatever others
 * append meanwhile, to the old file or to the new one, is kept.
 */
export function stampLines(path: string, raws: ReadonlySet<string>, now: string): void {
  if (raws.size === 0) return;
  withLock(path, () => {
    const old = openSync(path, "r");
    const fresh = `${path}.${process.pid}.new`;
    const written = openSync(fresh, "w", statSync(path).mode);
    try {
      const before = readFrom(old, 0);
      writeSync(written, stampMatching(before, raws, now));
      moveOver(fresh, path);
      // Another process that had the old file open may have appended to it until now.
      let done = before.length;
      for (let more = readFrom(old, done); more.length > 0; more = readFrom(old, done)) {
        writeSync(written, more);
        done += more.length;
      }
    } finally {
      closeSync(old);
      closeSync(written);
      rmSync(fresh, { force: true });
    }
  });
}

function stampMatching(bytes: Buffer, raws: ReadonlySet<string>, now: string): Buffer {
  const lines = bytes.toString("latin1").split("\n");
  const after = lines.map((line) => {
    const raw = Buffer.from(line, "latin1").toString("utf8");
    if (!raws.has(raw)) return line;
    const text = JSON.stringify({ ...(JSON.parse(raw) as JsonObject), distilled_at: now });
    return Buffer.from(text, "utf8").toString("latin1");
  });
  return Buffer.from(after.join("\n"), "latin1");
}

function readFrom(file: number, start: number): Buffer {
  const size = Math.max(0, fstatSync(file).size - start);
  const bytes = Buffer.alloc(size);
  return bytes.subarray(0, size === 0 ? 0 : readSync(file, bytes, 0, size, start));
}
