import { renameSync } from "node:fs";
import { codeOf } from "../errors.ts";

/** What Windows says while another program, often a scanner, has one of the files open. */
const IN_USE: ReadonlySet<unknown> = new Set(["EPERM", "EACCES", "EBUSY"]);
/** A scanner is done in a few milliseconds; after a second in all, somebody keeps the file. */
const PAUSES_MS = [5, 10, 20, 50, 100, 200, 300, 300];

interface System {
  platform: NodeJS.Platform;
  rename: (from: string, to: string) => void;
}

/** Replaces a file by another in one step: whoever reads sees the old content or the new. */
export function moveOver(
  from: string,
  to: string,
  { platform, rename }: System = { platform: process.platform, rename: renameSync },
): void {
  for (const pause of platform === "win32" ? PAUSES_MS : []) {
    try {
      return rename(from, to);
    } catch (error) {
      if (!IN_USE.has(codeOf(error))) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
  }
  rename(from, to);
}
