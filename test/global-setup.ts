import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { basename, join } from "node:path";

/** Everything tests put aside goes into one directory, and that is gone when they are done. */
export function setup(): () => void {
  // Called for every project of the configuration; the first has made it for all.
  if (basename(tmpdir()).startsWith(NAME)) return () => undefined;
  const dir = mkdtempSync(join(place(), `${NAME}${process.pid}-`));
  process.env["TMPDIR"] = dir;
  return () => rmSync(dir, { recursive: true, force: true });
}

const NAME = "daybook-tests-";
const MEMORY = "/dev/shm";
/** Several times what the tests have on disk at one moment. */
const ROOM = 4 * 1024 ** 3;

/** Memory where there is enough: most of what the tests would wait for is a disk that says it has written. */
function place(): string {
  if (process.env["TMPDIR"] !== undefined) return tmpdir();
  try {
    accessSync(MEMORY, constants.W_OK);
    for (const name of readdirSync(MEMORY)) if (isForgotten(name)) rmSync(join(MEMORY, name), { recursive: true });
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) > ROOM ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Left by tests that were killed: memory is not to be filled with it. */
function isForgotten(name: string): boolean {
  const pid = name.startsWith(NAME) ? Number.parseInt(name.slice(NAME.length), 10) : Number.NaN;
  if (Number.isNaN(pid)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
