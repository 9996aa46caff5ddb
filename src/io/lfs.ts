import { closeSync, readSync } from "node:fs";
import { openFile } from "./regular-file.ts";

const HEAD = "version https://git-lfs.github.com/spec/v1";
/** Git LFS itself takes nothing larger for a pointer. */
export const LARGEST_POINTER = 1024;

/** Whether a file only says where the one it stands for is kept: Git LFS leaves such files where it was not asked to fetch. */
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
