import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { run, flagsOf } from "./cli.ts";
import type { Daybook } from "../../src/answers/daybook.ts";
import { copyCorpus, open, scratch, type Roots } from "./fixture.ts";
import { Owner } from "./owner.ts";

/** Name, size, times, inode, mode and content hash of everything in a directory, and of the directory itself. */
function stateOf(dir: string): string[] {
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" }).toSorted();
  return ["", ...files].map((name) => {
    const path = join(dir, name);
    const { size, mtimeNs, ino, mode } = statSync(path, { bigint: true });
    const content = statSync(path).isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
    return [name, size, mtimeNs, ino, mode, content].join(" ");
  });
}

interface StoreKind {
  label: string;
  file: string;
  /** A change that is only in the write-ahead log. */
  touch: string;
}

const KINDS: StoreKind[] = [
  {
    label: "opencode-1.18.33",
    file: "opencode.db",
    touch: "UPDATE session SET title = title || ' once more', time_updated = time_updated + 1",
  },
  { label: "goose-1.34.0", file: "sessions/sessions.db", touch: "UPDATE sessions SET name = name || ' once more'" },
];

/** States in which an agent may leave its database; each returns whether the change was made. */
const STATES: Readonly<Record<string, (owner: Owner, path: string, touch: string) => Promise<boolean>>> = {
  "open, with a log": async (owner, _, touch) => {
    await owner.exec(touch);
    return true;
  },
  "open, nothing written yet": async (owner) => {
    await owner.all("SELECT count(*) FROM sqlite_master");
    return false;
  },
  "open, in the middle of a write": async (owner, _, touch) => {
    await owner.exec(touch);
    // So much data that it does not stay in the memory of the process.
    await owner.exec(
      "PRAGMA cache_size = 1; BEGIN; CREATE TABLE other (x); INSERT INTO other WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT hex(randomblob(2000)) FROM n",
    );
    return true;
  },
  "open, log emptied": async (owner, _, touch) => {
    await owner.exec(touch);
    await owner.all("PRAGMA wal_checkpoint(TRUNCATE)");
    return true;
  },
  killed: async (owner, _, touch) => {
    await owner.exec(touch);
    await owner.die();
    return true;
  },
  "killed, without shared memory": async (owner, path, touch) => {
    await owner.exec(touch);
    await owner.die();
    rmSync(`${path}-shm`);
    return true;
  },
  "killed before it wrote, without shared memory": async (owner, path) => {
    await owner.all("SELECT count(*) FROM sqlite_master");
    await owner.die();
    rmSync(`${path}-shm`, { force: true });
    return false;
  },
  closed: async (owner, _, touch) => {
    await owner.exec(touch);
    await owner.quit();
    return true;
  },
};

const TITLE_SUFFIX = " once more";

describe.each(KINDS)("the files of an agent's database: $label", ({ label, file, touch }) => {
  it.each(Object.keys(STATES))("are not changed by reading, and committed changes are read: %s", async (state) => {
    const { dir, roots } = copyCorpus([label]);
    const path = join(dir, label, file);
    const owner = new Owner(path);
    try {
      const isTouched = await STATES[state]?.(owner, path, touch);
      const before = stateOf(dir);
      const direct = await answersOf(open(roots));
      const book = scratch("book");
      expect(await answersOf(open(roots, book))).toEqual(direct);
      await open(roots, book).doctor();
      expect(stateOf(dir)).toEqual(before);
      const titles = direct.sessions.map((session) => session.title ?? "");
      expect(titles.some((title) => title.endsWith(TITLE_SUFFIX))).toBe(isTouched);
    } finally {
      await owner.quit();
    }
  });

  it("are not changed by the program, and the agent can checkpoint and clean up afterwards", async () => {
    const { dir, roots } = copyCorpus([label]);
    const path = join(dir, label, file);
    const owner = new Owner(path);
    try {
      await owner.exec(touch);
      const before = stateOf(dir);
      await runCommands(roots);
      expect(stateOf(dir)).toEqual(before);
      // Also read in this process, which keeps running and must not keep the database open.
      await open(roots).sessions();
      expect(await owner.all("PRAGMA wal_checkpoint(TRUNCATE)")).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
    } finally {
      await owner.quit();
    }
    expect(readdirSync(dirname(path)).filter((name) => /-(?:wal|shm)$/.test(name))).toEqual([]);
  });
});

async function answersOf(daybook: Daybook) {
  const [sessions, turns] = [await daybook.sessions(), await daybook.turns()];
  daybook.close();
  return { sessions, turns };
}

async function runCommands(roots: Roots): Promise<void> {
  const flags = flagsOf(roots, scratch("home"));
  for (const command of [["sync"], ["sessions", "--json"], ["usage"], ["doctor"]]) {
    const { code, err } = await run([...command, ...flags]);
    expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
  }
}
