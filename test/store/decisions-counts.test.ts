import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LockedError } from "../../src/record/write-lock.ts";
import { PageWriter } from "../../src/book/pages/page.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { markSyncStarted } from "../../src/index/tables/seal.ts";
import { A, at as onDay, E, M, R } from "../cases/build.ts";
import {
  promptLine,
  broken,
  countsOf,
  ID,
  LOAD,
  NOTHING,
  inSession,
  answerLine,
  Store,
  turn,
  type Line,
} from "./small-store.ts";

// What a sync reports, and what it checks meanwhile. Must be quick: `npm run mutate` runs these tests.

const mocks: { mockRestore: () => void }[] = [];
afterEach(() => {
  for (const one of mocks.splice(0)) one.mockRestore();
});

const ALL = { least: Infinity, end: null, start: (): number => 0 };

async function twoSessions(): Promise<Store> {
  const store = new Store();
  store.write(turn(1));
  store.write(inSession(2, turn(2)), store.path(2));
  await store.sync();
  return store;
}

function change(store: Store, sql: string): void {
  const index = IndexStore.openExisting(store.home);
  index?.transaction(() => void index.run(sql));
  index?.close();
  IndexStore.release(store.home);
}

/** The column `gone` of each page: 1 if its file was deleted, 2 if the page holds an earlier version of the file. */
function goneStates(store: Store): number[] {
  return (store.tables()["file"] ?? []).map((row) => (JSON.parse(row) as { gone: number }).gone);
}

describe("the counts of a sync", () => {
  it("include the same number of rows for a rebuild as for reading the files", async () => {
    const store = await twoSessions();
    const { rows_written } = await new Store().sync();
    expect(rows_written).toBe(0);
    const fresh = new Store();
    fresh.write(turn(1));
    const first = await fresh.sync();
    fresh.write(inSession(2, turn(2)), fresh.path(2));
    const second = await fresh.sync();
    const rebuilt = await store.sync({ repair: true });
    expect(rebuilt.rows_written).toBe(first.rows_written + second.rows_written);
    // After a crash, pages that the index does not know completely are added to it.
    markSyncStarted(fresh.home);
    change(fresh, `UPDATE file SET lines = 0 WHERE session_id = '${ID}2'`);
    const recovered = await fresh.sync();
    expect([recovered.pages_rebuilt, recovered.files_read]).toEqual([1, 0]);
    expect(recovered.rows_written).toBeGreaterThan(0);
  });

  it("include one row if only the modification time of a title file changed", async () => {
    const store = new Store();
    store.write(turn(1), store.path(1, "projects/p"));
    const title = join(dirname(store.path(1, "projects/p")), `${ID}1`, "custom-title.json");
    mkdirSync(dirname(title));
    writeFileSync(title, '{"customTitle":"A title"}');
    await store.sync();
    utimesSync(title, 7, 7);
    const report = await store.sync();
    expect(countsOf(report)).toEqual(NOTHING);
    expect(report.rows_written).toBe(1);
  });

  it("include the bytes of a file read again to compare it with another of the same session", async () => {
    const store = new Store();
    const start = turn(1);
    store.write(start);
    store.write([...start, ...turn(2)], store.path(1, "q"));
    const sizes = [store.path(), store.path(1, "q")].map((path) => statSync(path).size);
    const unrelated = new Store();
    unrelated.write(start);
    unrelated.write(inSession(2, [...turn(3), ...turn(4)]), unrelated.path(2));
    const separate = await unrelated.sync();
    const { bytes_read } = await store.sync();
    // Fingerprints are read as well; the comparison is additional.
    expect(separate.bytes_read).toBeLessThanOrEqual(sizes.reduce((sum, size) => sum + 3 * size, 0));
    expect(bytes_read).toBeGreaterThan(separate.bytes_read);
  });

  it("include a deleted file once, however many pages it has", async () => {
    const store = new Store();
    store.write([...turn(1), ...turn(2)]);
    await store.sync();
    store.write(turn(3));
    await store.sync();
    expect(goneStates(store)).toEqual([2, 0]);
    // A moved file is recognised by its newest page.
    mkdirSync(dirname(store.path(1, "q")));
    renameSync(store.path(), store.path(1, "q"));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 0, gone: 0 });
    renameSync(store.path(1, "q"), store.path());
    await store.sync();
    rmSync(store.path());
    expect(await store.sync()).toMatchObject({ gone: 1 });
    expect(goneStates(store)).toEqual([2, 1]);
    expect(countsOf(await store.sync())).toEqual(NOTHING);
  });
});

describe("rows_written", () => {
  const rollout = (store: Store, n: number, text: string, meta: object): void => {
    const time = `2026-09-0${n}T05:30:10.000Z`;
    const lines = [M(`s${n}`, meta as never), R(text), E(text), A("fine")].map((line) => onDay(time, line));
    store.write(lines, join(store.dir, "sessions", `rollout-${n}.jsonl`));
  };

  it("includes rows of other sessions whose project name changes", async () => {
    const added = async (cwd: string): Promise<number> => {
      const store = new Store("codex");
      rollout(store, 1, "a", { cwd: "/nowhere/w" });
      await store.sync();
      rollout(store, 2, "b", { cwd, git: { repository_url: "git@git.example:harbor-labs/tidepool.git" } });
      return (await store.sync()).rows_written;
    };
    const [same, other] = [await added("/nowhere/w"), await added("/nowhere/v")];
    // Rows of the first session: its place, the session, its turn.
    expect(same - other).toBeGreaterThanOrEqual(3);
  });

  it("includes rows of other sessions whose prompts turn out to recur", async () => {
    const WORDS = "Look at the checks of all repositories.";
    const added = async (words: string): Promise<number> => {
      const store = new Store("codex");
      let rows = 0;
      for (const [n, text] of [WORDS, WORDS, words].entries()) {
        rollout(store, n + 1, text, { source: "exec" });
        rows = (await store.sync()).rows_written;
      }
      return rows;
    };
    const [same, other] = [await added(WORDS), await added("Look at the doors of all repositories.")];
    expect(same).toBeGreaterThan(other);
  });

  it("includes only one row per file if a full sync finds nothing changed", async () => {
    const store = await twoSessions();
    const report = await store.sync({ full: true });
    expect(countsOf(report)).toEqual({ files_read: 2, entries: 4, sessions_refreshed: 2, gone: 0 });
    // One row per file.
    expect(report.rows_written).toBe(2);
  });

  it("includes rows that are deleted", async () => {
    const rowsAfterFailure = async (...answers: Line[]): Promise<number> => {
      const store = await twoSessions();
      store.append(inSession(2, answers), store.path(2));
      await store.sync();
      store.append(inSession(2, [promptLine("elsewhere", 30, { cwd: "/v" })]), store.path(2));
      broken.at = { pattern: LOAD, session: 2, error: new Error("broken") };
      const { rows_written, unreadable } = await store.sync();
      expect(unreadable).toHaveLength(1);
      broken.at = null;
      return rows_written;
    };
    expect(await rowsAfterFailure(answerLine("more", 22), answerLine("and more", 23))).toBeGreaterThan(
      await rowsAfterFailure(answerLine("more", 22)),
    );
  });
});

it("rewritten files keep lost turns though some are assembled while others are still being read", async () => {
  const store = new Store();
  const sessions = Array.from({ length: 17 }, (_, n) => n + 10);
  for (const n of sessions) store.write(inSession(n, [...turn(n), ...turn(n + 50)]), store.path(n));
  await store.sync();
  for (const n of sessions) store.write(inSession(n, turn(n + 50, `another ${n}`)), store.path(n));
  expect(await store.sync()).toMatchObject({ files_read: 17, sessions_refreshed: 17 });
  const prompts = await store.prompts();
  expect(prompts).toHaveLength(51);
  expect(store.tables()["turn"]).toHaveLength(51);
});

describe("a file", () => {
  it("that is restored unchanged is no longer marked as gone, and no record of it is read again", async () => {
    const store = await twoSessions();
    const aside = `${store.path()}.aside`;
    renameSync(store.path(), aside);
    expect(await store.sync()).toMatchObject({ gone: 1 });
    expect(goneStates(store)).toEqual([1, 0]);
    renameSync(aside, store.path());
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 0, gone: 0 });
    expect(goneStates(store)).toEqual([0, 0]);
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("that grew is not confused with a deleted file of the same name", async () => {
    const store = new Store();
    store.write(turn(1));
    store.write(turn(2), store.path(1, "q"));
    await store.sync();
    rmSync(store.path(1, "q"));
    store.append(turn(3));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2, gone: 1 });
    expect(goneStates(store)).toEqual([0, 1]);
    expect(store.pages()).toHaveLength(2);
    expect(await store.prompts()).toEqual(["question 1", "question 2", "question 3"]);
  });

  it("with the name of a deleted file but other content leaves that one marked as deleted", async () => {
    const store = new Store();
    store.write(turn(1));
    await store.sync();
    rmSync(store.path());
    store.write(turn(2), store.path(1, "q"));
    await store.sync();
    expect(goneStates(store)).toEqual([1, 0]);
    expect(store.pages()).toHaveLength(2);
  });

  it("has its page flushed to disk if at most 20 files are read", async () => {
    const durable = async (files: number): Promise<unknown[]> => {
      const store = new Store();
      for (let n = 0; n < files; n++) store.write(inSession(n + 10, turn(n + 1)), store.path(n + 10));
      const commit = vi.spyOn(PageWriter.prototype, "commit");
      mocks.push(commit);
      await store.sync();
      const flags = commit.mock.calls.flatMap(([, how]) => (how?.seen ? [how.durable] : []));
      commit.mockRestore();
      return [...new Set(flags)];
    };
    expect(await durable(20)).toEqual([true]);
    expect(await durable(21)).toEqual([false]);
  });
});

describe("a session marked as stale", () => {
  const withStale = async (): Promise<Store> => {
    const store = await twoSessions();
    change(store, `UPDATE file SET stale = 1 WHERE session_id = '${ID}2'`);
    return store;
  };

  it("is assembled with the next change, not by sync({ verify: true })", async () => {
    const store = await withStale();
    expect(countsOf(await store.sync())).toEqual(NOTHING);
    expect(countsOf(await store.sync({ verify: true }))).toEqual(NOTHING);
    store.append(turn(3));
    expect(await store.sync()).toMatchObject({ files_read: 1, sessions_refreshed: 2 });
  });

  it("is assembled again at once if its page is damaged and its file gone", async () => {
    const store = await twoSessions();
    rmSync(store.path());
    await store.sync();
    const page = `${join(store.home, store.pages()[0] ?? "")}.jsonl`;
    writeFileSync(page, readFileSync(page, "utf8").replace("question", "quastion"));
    const report = await store.sync({ verify: true });
    expect(report).toMatchObject({ files_read: 0, sessions_refreshed: 1, pages_rebuilt: 1 });
    expect(report.damaged).toHaveLength(1);
    expect(report.rows_written).toBeGreaterThan(0);
  });
});

describe("an index", () => {
  const NOTE = "the index was damaged; made again from the book (2 pages)";

  /** Damages a database page that a sync does not read, and restores the modification time, so that the seal matches. */
  const damage = (store: Store): void => {
    const index = IndexStore.openExisting(store.home);
    const at = Number(index?.get("SELECT rootpage FROM sqlite_master WHERE name = 'answer'")?.["rootpage"]) - 1;
    const size = Number(index?.get("PRAGMA page_size")?.["page_size"]);
    index?.close();
    IndexStore.release(store.home);
    const path = join(store.home, "index.db");
    const { mtime } = statSync(path);
    writeFileSync(path, readFileSync(path).fill(0xff, at * size, at * size + 8));
    utimesSync(path, mtime, mtime);
  };

  it("with hidden damage is rebuilt by verify or after an unfinished sync, not by a plain sync", async () => {
    for (const cause of ["verify", "unfinished"]) {
      const store = await twoSessions();
      damage(store);
      expect(countsOf(await store.sync())).toEqual(NOTHING);
      if (cause === "unfinished") markSyncStarted(store.home);
      expect(await store.sync({ verify: cause === "verify" })).toMatchObject({ pages_rebuilt: 2, files_read: 0 });
      expect(store.notes).toEqual([NOTE]);
      expect(countsOf(await store.sync({ verify: true }))).toEqual(NOTHING);
    }
  });

  it("that is damaged is rebuilt also if there is no listener for notes", async () => {
    const store = await twoSessions();
    IndexStore.release(store.home);
    writeFileSync(join(store.home, "index.db"), "nothing of the kind");
    expect(await store.syncFor(ALL)).toMatchObject({ pages_rebuilt: 2, files_read: 0 });
  });
});

describe("a sync whose lock was taken over by another process", () => {
  /** Lets much time pass and changes the owner of the lock. */
  const loseLock = (store: Store): void => {
    const lock = join(store.home, "sync.lock");
    writeFileSync(lock, readFileSync(lock, "utf8").replace(/"token":"[^"]+"/, '"token":"another"'));
    const uptime = process.uptime.bind(process);
    mocks.push(vi.spyOn(process, "uptime").mockImplementation(() => uptime() + 1_000_000));
  };

  it("fails with LockedError while files are read", async () => {
    const store = await twoSessions();
    store.append(turn(3));
    store.append(inSession(2, turn(4)), store.path(2));
    await expect(store.syncFor(ALL, { onProgress: () => loseLock(store) })).rejects.toBeInstanceOf(LockedError);
  });

  it("fails with LockedError while the index is created, and leaves no index", async () => {
    const store = await twoSessions();
    IndexStore.discard(store.home);
    const create = IndexStore.create.bind(IndexStore);
    mocks.push(
      vi.spyOn(IndexStore, "create").mockImplementation((home) => {
        loseLock(store);
        return create(home);
      }),
    );
    await expect(store.sync()).rejects.toBeInstanceOf(LockedError);
    expect(existsSync(join(store.home, "index.db"))).toBe(false);
  });
});
