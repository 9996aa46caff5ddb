import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { freemem, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Directories of PostgreSQL servers that tests have started begin with this. */
export const CLUSTER_PREFIX = "daybook-pg-";

/** Names the directory of all tests, while `TMPDIR` names that of the test file that is running. */
export const ALL_TESTS = "DAYBOOK_TEST_TMPDIR";

/** All temporary files of the tests go into one directory, which is removed after the last test. */
export function setup(): () => Promise<void> {
  // Called for every project of the configuration; the first call has made the directory for all.
  if (basename(tmpdir()).startsWith(NAME)) return () => Promise.resolve();
  const dir = mkdtempSync(join(place(), `${NAME}${process.pid}-`));
  // Some tests run programs as other users, who must be able to pass through it.
  chmodSync(dir, 0o711);
  process.env["TMPDIR"] = dir;
  process.env[ALL_TESTS] = dir;
  return async () => {
    await stopDatabases(dir);
    rmSync(dir, { recursive: true, force: true });
  };
}

/** Several test files may share a process and its database server, so none of them can stop it. */
async function stopDatabases(dir: string): Promise<void> {
  for (const name of readdirSync(dir).filter((one) => one.startsWith(CLUSTER_PREFIX))) {
    const running = join(dir, name, "data/postmaster.pid");
    if (!existsSync(running)) continue;
    const pid = Number(readFileSync(running, "utf8").split("\n")[0]);
    // SIGINT disconnects clients instead of waiting for them.
    while (isRunning(pid, "SIGINT")) await delay(50);
  }
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
    for (const name of readdirSync(MEMORY)) if (isForgotten(name)) remove(join(MEMORY, name));
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) > ROOM ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Another run may be removing it as well. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The next run will find what is left.
  }
}

/** Left by tests that were killed: it would fill the memory. */
function isForgotten(name: string): boolean {
  const pid = name.startsWith(NAME) ? Number.parseInt(name.slice(NAME.length), 10) : Number.NaN;
  return !Number.isNaN(pid) && !isRunning(pid);
}

/** Sends the signal; 0 only asks. */
function isRunning(pid: number, signal: NodeJS.Signals | 0 = 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
