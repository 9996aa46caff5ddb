import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acquireLock, LockedError } from "../../src/record/write-lock.ts";
import { openDatabase } from "../../src/base/io/sqlite.ts";
import { makeDatabase, text } from "../../src/agents/goose/testing.ts";
import { addForgotten } from "../../src/book/pages/forgotten.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { markSyncStarted, isUnfinished } from "../../src/index/tables/seal.ts";
import { open, scratch } from "./fixture.ts";
import { broken, countsOf, ID, NOTHING, inSession, Store, turn } from "./small-store.ts";

// How a sync treats a home left in various states. Must be quick: `npm run mutate` runs these tests.

async function twoSessions(): Promise<Store> {
  const store = new Store();
  store.write(turn(1));
  store.write(inSession(2, turn(2)), store.path(2));
  await store.sync();
  return store;
}

function inIndex<T>(home: string, work: (index: IndexStore) => T): T {
  const index = IndexStore.openExisting(home);
  if (!index) throw new Error("no index");
  try {
    return work(index);
  } finally {
    index.close();
    IndexStore.release(home);
  }
}

const change = (home: string, sql: string): void =>
  inIndex(home, (index) => index.transaction(() => void index.run(sql)));

describe("a home", () => {
  it("locked by another process makes a sync fail, or wait if it has patience", async () => {
    const store = await twoSessions();
    store.append(turn(3));
    const lock = acquireLock(join(store.home, "sync.lock"));
    await expect(store.sync()).rejects.toBeInstanceOf(LockedError);
    const waiting = store.sync({ patience: 600_000 });
    setTimeout(() => lock.release(), 50);
    expect(await waiting).toMatchObject({ files_read: 1 });
  });

  it("is locked and marked as unfinished during a sync, and not afterwards", async () => {
    const store = await twoSessions();
    store.append(turn(3));
    const during: boolean[] = [];
    await store.syncFor(
      { least: Infinity, end: null, start: () => 0 },
      { onProgress: () => void during.push(isUnfinished(store.home), existsSync(join(store.home, "sync.lock"))) },
    );
    expect(during).toEqual([true, true]);
    expect([isUnfinished(store.home), existsSync(join(store.home, "sync.lock"))]).toEqual([false, false]);
  });

  it("left by a killed sync has stale sessions assembled, though no file is new", async () => {
    const store = await twoSessions();
    const before = store.tables();
    markSyncStarted(store.home);
    change(store.home, `UPDATE file SET stale = 1 WHERE session_id = '${ID}1'`);
    change(store.home, `DELETE FROM turn WHERE session = 'claude-code/${ID}1'`);
    expect(await store.sync()).toMatchObject({ files_read: 0, sessions_refreshed: 1, pages_rebuilt: 0 });
    expect(isUnfinished(store.home)).toBe(false);
    expect(store.tables()).toEqual(before);
  });

  it("left by a killed sync has forgotten sessions removed", async () => {
    const store = await twoSessions();
    const forgotten = { source: "claude-code", session_id: `${ID}1`, forgotten_at: "2026-01-01T00:00:00.000Z" };
    addForgotten(store.home, [{ ...forgotten, files: [] }]);
    await store.sync();
    expect(store.known()).toBe("21");
    markSyncStarted(store.home);
    await store.sync();
    expect(store.known()).toBe("2");
  });

  it("with a damaged write-ahead log after a killed sync has its index rebuilt", async () => {
    const store = await twoSessions();
    const killed = scratch("killed");
    rmSync(killed, { recursive: true });
    markSyncStarted(store.home);
    const index = IndexStore.openExisting(store.home);
    index?.transaction(() => index.run("UPDATE turn SET view = view"));
    cpSync(store.home, killed, { recursive: true, preserveTimestamps: true });
    index?.close();
    IndexStore.release(store.home);
    const path = join(killed, "index.db-wal");
    const log = readFileSync(path);
    log[100] = (log[100] ?? 0) ^ 1;
    writeFileSync(path, log);
    const notes: string[] = [];
    const daybook = open(store.roots, killed, { onNote: (note) => void notes.push(note) });
    expect(await daybook.sync()).toMatchObject({ files_read: 0, pages_rebuilt: 2 });
    expect(notes).toEqual(["the index was damaged; made again from the book (2 pages)"]);
    expect(await daybook.turns()).toHaveLength(2);
    daybook.close();
    IndexStore.release(killed);
  });

  it("with a damaged page has it reported once, and its file read again", async () => {
    const store = await twoSessions();
    const page = join(store.home, store.pages()[0] ?? "");
    const body = readFileSync(`${page}.jsonl`, "utf8");
    writeFileSync(`${page}.jsonl`, body.replace("question", "quastion"));
    const found = await store.sync({ repair: true, verify: true });
    expect(found.damaged).toMatchObject([{ session_id: `${ID}1`, lines: [[1, 1]] }]);
    // The session file still has the line.
    expect(found.files_read).toBe(1);
    expect(await store.prompts()).toEqual(["question 1", "question 2"]);
  });

  it("opened with other project names has rows rewritten without reading a file", async () => {
    const store = await twoSessions();
    const daybook = open(store.roots, store.home, { projects: { "/w": "renamed" } });
    const report = await daybook.sync();
    expect(countsOf(report)).toEqual(NOTHING);
    expect(report.rows_written).toBeGreaterThan(0);
    expect(new Set((await daybook.sessions()).map(({ project }) => project))).toEqual(new Set(["renamed"]));
    daybook.close();
  });

  it("on a full disk makes an incremental update fail, without assembling the session whole instead", async () => {
    const store = await twoSessions();
    store.append(turn(3));
    const error = Object.assign(new Error("no room"), { errcode: 13 });
    broken.at = { pattern: /^SELECT records, view\b.* FROM turn/, session: 1, error };
    await expect(store.sync()).rejects.toThrow("no room");
    broken.at = null;
    await store.sync();
    expect(store.tables()).toEqual(await store.fromEmpty());
  });
});

it("state of title files is stored only when all found files were read", async () => {
  const store = new Store();
  for (const n of [1, 2]) store.write(inSession(n, turn(n)), store.path(n, "projects/p"));
  mkdirSync(join(store.dir, "projects/p", `${ID}1`));
  writeFileSync(join(store.dir, "projects/p", `${ID}1`, "custom-title.json"), '{"customTitle":"A title"}');
  const notes = (): number =>
    inIndex(store.home, (index) => Number(index.get("SELECT count(*) AS n FROM note")?.["n"]));
  const none = { least: 0, end: null, start: () => Infinity };
  expect(await store.syncFor(none)).toMatchObject({ files_read: 0, files_left: 2 });
  expect(notes()).toBe(0);
  const all = await store.syncFor({ ...none, start: () => -Infinity });
  expect(all).toMatchObject({ files_read: 2, files_left: 0 });
  expect(notes()).toBe(1);
});

it("a session deleted from its database is marked as gone, one whose database was not looked for is not", async () => {
  const message = (words: string): object => ({ id: words, at: 0, content: [text(words)] });
  const dir = scratch("goose");
  const path = makeDatabase(
    ["first", "second"].map((words, n) => ({ id: `20261114_${n + 1}`, messages: [message(words)] })) as never,
    17,
    join(dir, "sessions.db"),
  );
  const home = scratch("goose-home");
  const sync = async (root: string): Promise<object> => {
    const daybook = open({ goose: [root] }, home);
    const report = await daybook.sync();
    daybook.close();
    return countsOf(report);
  };
  expect(await sync(path)).toMatchObject({ files_read: 2, gone: 0 });
  expect(await sync(scratch("goose-none"))).toEqual(NOTHING);
  const db = openDatabase(path);
  db.exec("DELETE FROM messages WHERE session_id = '20261114_1'; DELETE FROM sessions WHERE id = '20261114_1'");
  db.close();
  expect(await sync(path)).toMatchObject({ gone: 1 });
  expect(await sync(path)).toEqual(NOTHING);
});
