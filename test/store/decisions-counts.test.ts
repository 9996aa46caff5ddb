import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LockedError } from "../../src/format/write-lock.ts";
import { PageWriter } from "../../src/store/pages/page.ts";
import { IndexStore } from "../../src/store/tables/index-store.ts";
import { markSyncStarted } from "../../src/store/tables/seal.ts";
import { A, at as onDay, E, M, R } from "../cases/build.ts";
import { asked, broken, did, ID, LOAD, NOTHING, of, said, Store, turn, type Line } from "./small-store.ts";

/** What a sync says it did, and what it makes sure of while it does it; quick enough for `npm run mutate`. */
const replaced: { mockRestore: () => void }[] = [];
afterEach(() => {
  for (const one of replaced.splice(0)) one.mockRestore();
});

const ALL = { least: Infinity, end: null, start: (): number => 0 };

async function two(): Promise<Store> {
  const store = new Store();
  store.write(turn(1));
  store.write(of(2, turn(2)), store.path(2));
  await store.sync();
  return store;
}

function change(store: Store, sql: string): void {
  const index = IndexStore.openExisting(store.home);
  index?.transaction(() => void index.run(sql));
  index?.close();
  IndexStore.release(store.home);
}

/** Of each file, by its page's generation: 1 when it is deleted, 2 when the page is of an earlier telling. */
function gone(store: Store): number[] {
  return (store.tables()["unit"] ?? []).map((row) => (JSON.parse(row) as { gone: number }).gone);
}

describe("what a sync counts", () => {
  it("are the same rows, whether they are made of the files or of the book", async () => {
    const store = await two();
    const { rows_written } = await new Store().sync();
    expect(rows_written).toBe(0);
    const fresh = new Store();
    fresh.write(turn(1));
    const first = await fresh.sync();
    fresh.write(of(2, turn(2)), fresh.path(2));
    const second = await fresh.sync();
    const made = await store.sync({ repair: true });
    expect(made.rows_written).toBe(first.rows_written + second.rows_written);
    // What a crash left unknown to the index is added to it.
    markSyncStarted(fresh.home);
    change(fresh, `UPDATE unit SET lines = 0 WHERE session_id = '${ID}2'`);
    const taken = await fresh.sync();
    expect([taken.pages_rebuilt, taken.files_read]).toEqual([1, 0]);
    expect(taken.rows_written).toBeGreaterThan(0);
  });

  it("is a note, where only that changed", async () => {
    const store = new Store();
    store.write(turn(1), store.path(1, "projects/p"));
    const title = join(dirname(store.path(1, "projects/p")), `${ID}1`, "custom-title.json");
    mkdirSync(dirname(title));
    writeFileSync(title, '{"customTitle":"A title"}');
    await store.sync();
    utimesSync(title, 7, 7);
    const report = await store.sync();
    expect(did(report)).toEqual(NOTHING);
    expect(report.rows_written).toBe(1);
  });

  it("is every byte, also of a file that is read again to tell it from another", async () => {
    const store = new Store();
    const begun = turn(1);
    store.write(begun);
    store.write([...begun, ...turn(2)], store.path(1, "q"));
    const sizes = [store.path(), store.path(1, "q")].map((path) => statSync(path).size);
    const alone = new Store();
    alone.write(begun);
    alone.write(of(2, [...turn(3), ...turn(4)]), alone.path(2));
    const apart = await alone.sync();
    const { bytes_read } = await store.sync();
    // The fingerprints are read as well; what is compared comes on top.
    expect(apart.bytes_read).toBeLessThanOrEqual(sizes.reduce((sum, size) => sum + 3 * size, 0));
    expect(bytes_read).toBeGreaterThan(apart.bytes_read);
  });

  it("is one file that is gone, however often it was told anew", async () => {
    const store = new Store();
    store.write([...turn(1), ...turn(2)]);
    await store.sync();
    store.write(turn(3));
    await store.sync();
    expect(gone(store)).toEqual([2, 0]);
    // Moved, it is known again by its last page.
    mkdirSync(dirname(store.path(1, "q")));
    renameSync(store.path(), store.path(1, "q"));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 0, gone: 0 });
    renameSync(store.path(1, "q"), store.path());
    await store.sync();
    rmSync(store.path());
    expect(await store.sync()).toMatchObject({ gone: 1 });
    expect(gone(store)).toEqual([2, 1]);
    expect(did(await store.sync())).toEqual(NOTHING);
  });
});

describe("rows of others that are written again", () => {
  const rollout = (store: Store, n: number, text: string, meta: object): void => {
    const time = `2026-09-0${n}T05:30:10.000Z`;
    const lines = [M(`s${n}`, meta as never), R(text), E(text), A("fine")].map((line) => onDay(time, line));
    store.write(lines, join(store.dir, "sessions", `rollout-${n}.jsonl`));
  };

  it("are counted: names that a project has by now", async () => {
    const added = async (cwd: string): Promise<number> => {
      const store = new Store("codex");
      rollout(store, 1, "a", { cwd: "/nowhere/w" });
      await store.sync();
      rollout(store, 2, "b", { cwd, git: { repository_url: "git@git.example:harbor-labs/tidepool.git" } });
      return (await store.sync()).rows_written;
    };
    const [same, other] = [await added("/nowhere/w"), await added("/nowhere/v")];
    // The first session's place, itself and its turn.
    expect(same - other).toBeGreaterThanOrEqual(3);
  });

  it("are counted: prompts that are seen to recur now", async () => {
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

  it("are none where a file says what it said", async () => {
    const store = await two();
    const report = await store.sync({ full: true });
    expect(did(report)).toEqual({ files_read: 2, entries: 4, sessions_refreshed: 2, gone: 0 });
    // That of each file.
    expect(report.rows_written).toBe(2);
  });

  it("are counted where they go", async () => {
    const gone = async (...answers: Line[]): Promise<number> => {
      const store = await two();
      store.append(of(2, answers), store.path(2));
      await store.sync();
      store.append(of(2, [asked("elsewhere", 30, { cwd: "/v" })]), store.path(2));
      broken.at = { pattern: LOAD, session: 2, error: new Error("broken") };
      const { rows_written, unreadable } = await store.sync();
      expect(unreadable).toHaveLength(1);
      broken.at = null;
      return rows_written;
    };
    expect(await gone(said("more", 22), said("and more", 23))).toBeGreaterThan(await gone(said("more", 22)));
  });
});

it("a file that was told anew keeps what it lost, though many are put together while others are read", async () => {
  const store = new Store();
  const sessions = Array.from({ length: 17 }, (_, n) => n + 10);
  for (const n of sessions) store.write(of(n, [...turn(n), ...turn(n + 50)]), store.path(n));
  await store.sync();
  for (const n of sessions) store.write(of(n, turn(n + 50, `another ${n}`)), store.path(n));
  expect(await store.sync()).toMatchObject({ files_read: 17, sessions_refreshed: 17 });
  const prompts = await store.prompts();
  expect(prompts).toHaveLength(51);
  expect(store.tables()["turn"]).toHaveLength(51);
});

describe("a file", () => {
  it("that is back as it was is not gone any more, and nothing of it is read again", async () => {
    const store = await two();
    const aside = `${store.path()}.aside`;
    renameSync(store.path(), aside);
    expect(await store.sync()).toMatchObject({ gone: 1 });
    expect(gone(store)).toEqual([1, 0]);
    renameSync(aside, store.path());
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 0, gone: 0 });
    expect(gone(store)).toEqual([0, 0]);
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("that changed is not taken for another of its name that is gone", async () => {
    const store = new Store();
    store.write(turn(1));
    store.write(turn(2), store.path(1, "q"));
    await store.sync();
    rmSync(store.path(1, "q"));
    store.append(turn(3));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2, gone: 1 });
    expect(gone(store)).toEqual([0, 1]);
    expect(store.pages()).toHaveLength(2);
    expect(await store.prompts()).toEqual(["question 1", "question 2", "question 3"]);
  });

  it("that has only the name of one that is gone leaves that one deleted", async () => {
    const store = new Store();
    store.write(turn(1));
    await store.sync();
    rmSync(store.path());
    store.write(turn(2), store.path(1, "q"));
    await store.sync();
    expect(gone(store)).toEqual([1, 0]);
    expect(store.pages()).toHaveLength(2);
  });

  it("waits until it is on the disk, where few are read", async () => {
    const durable = async (files: number): Promise<unknown[]> => {
      const store = new Store();
      for (let n = 0; n < files; n++) store.write(of(n + 10, turn(n + 1)), store.path(n + 10));
      const commit = vi.spyOn(PageWriter.prototype, "commit");
      replaced.push(commit);
      await store.sync();
      const asked = commit.mock.calls.flatMap(([, how]) => (how?.seen ? [how.durable] : []));
      commit.mockRestore();
      return [...new Set(asked)];
    };
    expect(await durable(20)).toEqual([true]);
    expect(await durable(21)).toEqual([false]);
  });
});

describe("a session that waits to be put together", () => {
  const waiting = async (): Promise<Store> => {
    const store = await two();
    change(store, `UPDATE unit SET stale = 1 WHERE session_id = '${ID}2'`);
    return store;
  };

  it("waits until something changes, though the book is compared", async () => {
    const store = await waiting();
    expect(did(await store.sync())).toEqual(NOTHING);
    expect(did(await store.sync({ verify: true }))).toEqual(NOTHING);
    store.append(turn(3));
    expect(await store.sync()).toMatchObject({ files_read: 1, sessions_refreshed: 2 });
  });

  it("does not where something of the book is damaged, though no file is left to be read", async () => {
    const store = await two();
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

  /** A page of a table that a sync has no need of, in a file that looks as Daybook left it. */
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

  it("that is damaged within is found so when it is compared, or in doubt, and not before", async () => {
    for (const find of ["compared", "in doubt"]) {
      const store = await two();
      damage(store);
      expect(did(await store.sync())).toEqual(NOTHING);
      if (find === "in doubt") markSyncStarted(store.home);
      expect(await store.sync({ verify: find === "compared" })).toMatchObject({ pages_rebuilt: 2, files_read: 0 });
      expect(store.notes).toEqual([NOTE]);
      expect(did(await store.sync({ verify: true }))).toEqual(NOTHING);
    }
  });

  it("that is damaged is made again, whether or not somebody wants to be told", async () => {
    const store = await two();
    IndexStore.release(store.home);
    writeFileSync(join(store.home, "index.db"), "nothing of the kind");
    expect(await store.syncFor(ALL)).toMatchObject({ pages_rebuilt: 2, files_read: 0 });
  });
});

describe("a home that another took over meanwhile", () => {
  /** Time goes by, and the lock is another's. */
  const lose = (store: Store): void => {
    const lock = join(store.home, "sync.lock");
    writeFileSync(lock, readFileSync(lock, "utf8").replace(/"token":"[^"]+"/, '"token":"another"'));
    const uptime = process.uptime.bind(process);
    replaced.push(vi.spyOn(process, "uptime").mockImplementation(() => uptime() + 1_000_000));
  };

  it("is not written to any further", async () => {
    const store = await two();
    store.append(turn(3));
    store.append(of(2, turn(4)), store.path(2));
    await expect(store.syncFor(ALL, { onProgress: () => lose(store) })).rejects.toBeInstanceOf(LockedError);
  });

  it("is not while its index is made either", async () => {
    const store = await two();
    IndexStore.discard(store.home);
    const create = IndexStore.create.bind(IndexStore);
    replaced.push(
      vi.spyOn(IndexStore, "create").mockImplementation((home) => {
        lose(store);
        return create(home);
      }),
    );
    await expect(store.sync()).rejects.toBeInstanceOf(LockedError);
    expect(existsSync(join(store.home, "index.db"))).toBe(false);
  });
});
