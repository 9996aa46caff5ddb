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
import { Owner } from "../../../test/store/owner.ts";
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
  // Both tables hold the same number in every committed state.
  db.exec(
    "PRAGMA journal_mode = WAL; CREATE TABLE a (n); CREATE TABLE b (n); INSERT INTO a VALUES (0); INSERT INTO b VALUES (0)",
  );
  db.close();
});

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(TMP, { recursive: true, force: true });
});

const INCREMENT = "BEGIN; UPDATE a SET n = n + 1; UPDATE b SET n = n + 1; COMMIT";

function numberIn(db: ForeignDatabase, table: string): unknown {
  return db.prepare(`SELECT n FROM ${table}`).get()?.["n"];
}

it("temporary copies of killed processes are removed by the next reader, those of running ones are not", async () => {
  // A process does this once, with its first database: another test may have opened one before.
  vi.resetModules();
  const ofNewProcess = await import("./sqlite-foreign.ts");
  const { pid } = spawnSync(process.execPath, ["-e", "0"]);
  const names = [`daybook-db-${pid}-x`, `daybook-db-${process.pid}-x`, "daybook-db-y", "other"];
  for (const name of names) mkdirSync(join(`${dir}-tmp`, name));
  ofNewProcess.openForeign(path).close();
  expect(readdirSync(`${dir}-tmp`)).toEqual(names.slice(1).toSorted());
});

it("a reader sees one snapshot whatever the owner commits, and the next reader sees the new state", async () => {
  const owner = new Owner(path);
  try {
    for (let i = 1; i <= 20; i++) {
      await owner.exec(INCREMENT);
      const db = openForeign(path);
      const before = numberIn(db, "a");
      await owner.exec(INCREMENT);
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

it("a database without a WAL file that changes during the read is read again", async () => {
  let reads = 0;
  const read = (): unknown =>
    readForeign(path, (db) => {
      const found = numberIn(db, "a");
      if (reads++ === 0) {
        const owner = openDatabase(path);
        owner.exec(INCREMENT);
        // The last connection to close checkpoints the log.
        owner.close();
      }
      return [found, numberIn(db, "b")];
    });
  expect(read()).toEqual([1, 1]);
  expect(reads).toBe(2);
});

it("a database that changes during every read is an error", () => {
  const readAndChange = (db: ForeignDatabase): unknown => {
    const owner = openDatabase(path);
    owner.exec(INCREMENT);
    owner.close();
    return numberIn(db, "a");
  };
  expect(() => readForeign(path, readAndChange)).toThrow("was written to while it was read");
});

it("a WAL file without shared memory is read through one unlinked copy, which is replaced on change", async () => {
  const owner = new Owner(path);
  const withoutShm = join(dir, "left.db");
  const copyDatabase = (): void => {
    for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, withoutShm + suffix);
  };
  try {
    await owner.exec(INCREMENT);
    copyDatabase();
    const copied = vi.mocked(copyFileSync).mock.calls.length;
    for (const each of [1, 2]) expect([each, readForeign(withoutShm, (db) => numberIn(db, "a"))]).toEqual([each, 1]);
    expect(vi.mocked(copyFileSync).mock.calls.length - copied).toBe(2);
    const before = openForeign(withoutShm);
    await owner.exec(INCREMENT);
    copyDatabase();
    expect(readForeign(withoutShm, (db) => numberIn(db, "a"))).toBe(2);
    // A reader that began before the change still sees the old state.
    expect(numberIn(before, "b")).toBe(1);
    expect(readdirSync(`${dir}-tmp`)).toEqual([]);
    before.close();
    expect(() => numberIn(before, "b")).toThrow();
    expect(existsSync(`${withoutShm}-shm`)).toBe(false);
  } finally {
    await owner.quit();
  }
});

it("an invalid shared memory file is ignored, and no other file is created beside the database", async () => {
  const owner = new Owner(path);
  await owner.exec(INCREMENT);
  await owner.die();
  for (const junk of ["", "no shared memory", "\0".repeat(32_768)]) {
    writeFileSync(`${path}-shm`, junk);
    expect([junk.length, readForeign(path, (db) => numberIn(db, "a"))]).toEqual([junk.length, 1]);
    expect(readdirSync(dir).toSorted()).toEqual(["a.db", "a.db-shm", "a.db-wal"]);
  }
});
