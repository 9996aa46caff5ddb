import { closeSync, readSync } from "node:fs";
import { openFile } from "./regular-file.ts";

const HEAD = "version https://git-lfs.github.com/spec/v1";
/** Git LFS treats no larger file as a pointer. */
export const MAX_POINTER_BYTES = 1024;

/** Whether the file is a Git LFS pointer, which stands in for a file that was not fetched. */
export function isLfsPointer(path: string): boolean {
  let file: number;
  try {
    file = openFile(path);
  } catch {
    return false;
  }
  try {
    const head = Buffer.alloc(HEAD.length);
    return readSync(file, head, 0, HEAD.length, 0) === HEAD.length && head.toString("latin1") === HEAD;
  } finally {
    closeSync(file);
  }
}
