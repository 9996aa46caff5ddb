import { readFileSync, writeFileSync } from "node:fs";
import { reportDiskFull } from "../../base/io/disk.ts";
import { moveOver } from "../../base/io/move-over.ts";
import { isIntact, objectWithChecksum } from "./checksum.ts";

/**
 * How many rows a file of the book has had, in a file beside it: a file that was cut, emptied or deleted has fewer. It is
 * written after the rows, so that after a crash it names too few rather than too many.
 */
function countFile(path: string): string {
  return path.replace(/\.jsonl$/, ".count");
}

/** Zero where nothing was counted yet. */
export function countedRows(path: string): number {
  try {
    const row = readFileSync(countFile(path), "utf8").trimEnd();
    const { rows } = JSON.parse(row) as { rows?: unknown };
    return isIntact(row) === true && typeof rows === "number" ? rows : 0;
  } catch {
    return 0;
  }
}

export function countRows(path: string, rows: number): void {
  const file = countFile(path);
  const text = objectWithChecksum({ rows });
  reportDiskFull(file, text.length, () => writeFileSync(`${file}.new`, text, { mode: 0o600 }));
  moveOver(`${file}.new`, file);
}
