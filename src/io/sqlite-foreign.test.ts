import { spawnSync } from "node:child_process";
import type * as Fs from "node:fs";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { Owner } from "../../test/store/owner.ts";
import { openDatabase } from "./sqlite.ts";
import { openForeign, readForeign, type ForeignDatabase } from "./sqlite-foreign.ts";

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof Fs>();
  return { ...fs, copyFileSync: vi.fn(fs.copyFileSync) };
});

const TMP = realpathSync(mkdtempSync(join(tmpdir(), "daybook-foreign-")));
let count = 0;
let dir = "";
let path = "";

beforeEach(() => {
  dir = join(TMP, String(count++));
  path = join(dir, "a.db");
  for (const each of [dir, `${dir}-tmp`]) mkdirSync(each);
  vi.stubEnv("TMPDIR", `${dir}-tmp`);
  const db = openDatabase(path);
  // Equal in every committed state.
  db.exec(
    "PRAGMA journal_mode = WAL; CREATE TABLE a (n); CREATE TABLE b (n); INSERT INTO a VALUES (0); INSERT INTO b VALUES (0)",
  );
  db.close();
});

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(TMP, { recursive: true, force: true });
});

const RAISE = "BEGIN; UPDATE a SET n = n + 1; UPDATE b SET n = n + 1; COMMIT";

function numberIn(db: ForeignDatabase, table: string): unknown {
  return db.prepare(`SELECT n FROM ${table}`).get()?.["n"];
}

it("what a killed reader left is removed by the next, and nothing that somebody still uses", () => {
  const { pid } = spawnSync(process.execPath, ["-e", "0"]);
  const names = [`daybook-db-${pid}-x`, `daybook-db-${process.pid}-x`, "daybook-db-y", "other"];
  for (const name of names) mkdirSync(join(`${dir}-tmp`, name));
  openForeign(path).close();
  expect(readdirSync(`${dir}-tmp`)).toEqual(names.slice(1).toSorted());
});

it("one view is read, whatever its owner commits, and the next one is new", async () => {
  const owner = new Owner(path);
  try {
    for (let i = 1; i <= 20; i++) {
      await owner.exec(RAISE);
      const db = openForeign(path);
      const before = numberIn(db, "a");
      await owner.exec(RAISE);
      expect({ before, after: numberIn(db, "b") }).toEqual({ before: 2 * i - 1, after: 2 * i - 1 });
      // A reader blocks neither writes nor checkpoints of what it has seen.
      expect(await owner.all("PRAGMA wal_checkpoint(PASSIVE)")).toMatchObject([{ busy: 0 }]);
      expect(numberIn(db, "b")).toBe(2 * i - 1);
      db.close();
    }
    expect(await owner.all("PRAGMA wal_checkpoint(TRUNCATE)")).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
  } finally {
    await owner.quit();
  }
});

it("a file without a log that is written to while it is read is read again", async () => {
  let readings = 0;
  const read = (): unknown =>
    readForeign(path, (db) => {
      const found = numberIn(db, "a");
      if (readings++ === 0) {
        const owner = openDatabase(path);
        owner.exec(RAISE);
        // The last connection to close checkpoints the log.
        owner.close();
      }
      return [found, numberIn(db, "b")];
    });
  expect(read()).toEqual([1, 1]);
  expect(readings).toBe(2);
});

it("what was read of a file that never rests is refused", () => {
  const unrest = (db: ForeignDatabase): unknown => {
    const owner = openDatabase(path);
    owner.exec(RAISE);
    owner.close();
    return numberIn(db, "a");
  };
  expect(() => readForeign(path, unrest)).toThrow("was written to while it was read");
});

it("a log without shared memory is read through one copy that has no name, made anew when it changes", async () => {
  const owner = new Owner(path);
  const left = join(dir, "left.db");
  const take = (): void => {
    for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, left + suffix);
  };
  try {
    await owner.exec(RAISE);
    take();
    const copied = vi.mocked(copyFileSync).mock.calls.length;
    for (const each of [1, 2]) expect([each, readForeign(left, (db) => numberIn(db, "a"))]).toEqual([each, 1]);
    expect(vi.mocked(copyFileSync).mock.calls.length - copied).toBe(2);
    const before = openForeign(left);
    await owner.exec(RAISE);
    take();
    expect(readForeign(left, (db) => numberIn(db, "a"))).toBe(2);
    // A reader that began before the change still sees the old state.
    expect(numberIn(before, "b")).toBe(1);
    expect(readdirSync(`${dir}-tmp`)).toEqual([]);
    before.close();
    expect(() => numberIn(before, "b")).toThrow();
    expect(existsSync(`${left}-shm`)).toBe(false);
  } finally {
    await owner.quit();
  }
});

it("shared memory that is of no use is not made anew beside the file", async () => {
  const owner = new Owner(path);
  await owner.exec(RAISE);
  await owner.die();
  for (const junk of ["", "no shared memory", "\0".repeat(32_768)]) {
    writeFileSync(`${path}-shm`, junk);
    expect([junk.length, readForeign(path, (db) => numberIn(db, "a"))]).toEqual([junk.length, 1]);
    expect(readdirSync(dir).toSorted()).toEqual(["a.db", "a.db-shm", "a.db-wal"]);
  }
});
