import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DiskFullError } from "../../src/io/disk.ts";
import type { ReadContext } from "../../src/sources/contract.ts";
import { claudeCode } from "../../src/sources/claude-code/index.ts";
import { addForgotten, fileHash, Forgotten } from "../../src/store/pages/forgotten.ts";
import { PageWriter } from "../../src/store/pages/page.ts";
import { ingestJob } from "../../src/store/sync/ingest.ts";
import { IndexStore } from "../../src/store/tables/index-store.ts";
import { E, M } from "../cases/build.ts";
import { open } from "./fixture.ts";
import { asked, broken, did, ID, LOAD, of, said, Store, turn, type Line } from "./small-store.ts";

/** What a sync does where one file cannot be read, booked or put together; quick enough for `npm run mutate`. */
const replaced: { mockRestore: () => void }[] = [];
afterEach(() => asItWas());

/** Until the test ends: a reader that fails where `fails` says so. */
function readWith(fails: (ctx: ReadContext) => unknown): void {
  const read = claudeCode.read.bind(claudeCode);
  const reading = vi.spyOn(claudeCode, "read").mockImplementation((ref, cursor, ctx) => {
    const error = fails(ctx);
    if (error !== null) throw error;
    return read(ref, cursor, ctx);
  });
  replaced.push(reading);
}

function asItWas(): void {
  for (const one of replaced.splice(0)) one.mockRestore();
}

/** Of each file: whether its session waits to be put together, and the codes of what is wrong with it. */
function filesOf(store: Store): [stale: number, codes: string[]][] {
  return (store.tables()["unit"] ?? []).map((row) => {
    const { stale, problems } = JSON.parse(row) as { stale: number; problems: string };
    return [stale, (JSON.parse(problems) as { code: string }[]).map(({ code }) => code)];
  });
}

function change(store: Store, ...statements: string[]): void {
  const index = IndexStore.openExisting(store.home);
  index?.transaction(() => statements.map((sql) => index.run(sql)));
  index?.close();
  IndexStore.release(store.home);
}

function two(): Store {
  const store = new Store();
  store.write(turn(1));
  store.write(of(2, turn(2)), store.path(2));
  return store;
}

describe("a file that cannot be booked", () => {
  const INTO = /^INSERT OR IGNORE INTO identity/;

  it("is named, keeps no other from being booked, and is read again the next time", async () => {
    const store = two();
    await store.sync();
    store.append(turn(3));
    store.append(of(2, turn(4)), store.path(2));
    broken.at = { pattern: INTO, session: 2, error: new Error("broken") };
    const report = await store.sync();
    expect(report).toMatchObject({ files_read: 1, entries: 2 });
    expect(report.unreadable).toEqual([
      { code: "file_unreadable", source: "claude-code", path: store.path(2), message: "broken" },
    ]);
    broken.at = null;
    expect(await store.sync()).toMatchObject({ files_read: 1, unreadable: [] });
    expect(await store.prompts()).toEqual([1, 2, 3, 4].map((n) => `question ${n}`));
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("ends the sync where the others could not be booked either", async () => {
    const store = two();
    broken.at = { pattern: INTO, session: 2, error: Object.assign(new Error("no room"), { errcode: 13 }) };
    await expect(store.sync()).rejects.toThrow("no room");
  });
});

describe("a file that cannot be read", () => {
  it("is named with what was wrong, and read when it can be", async () => {
    const store = two();
    const aside = `${store.path()}.aside`;
    // The newest is read first; then the other is no more.
    const report = await store.syncFor(
      { least: Infinity, end: null, start: () => 0 },
      {
        onProgress: ({ files }) => void (files === 1 && renameSync(store.path(), aside)),
      },
    );
    expect(report).toMatchObject({ files_read: 1, files_left: 0 });
    expect(report.unreadable).toMatchObject([{ code: "file_unreadable", source: "claude-code", path: store.path() }]);
    expect(report.unreadable[0]?.message).toMatch(/^cannot open /);
    renameSync(aside, store.path());
    expect(await store.sync()).toMatchObject({ files_read: 1, unreadable: [] });
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("from where it was left is not read from its start instead", async () => {
    const store = new Store();
    store.write(turn(1));
    await store.sync();
    store.append(turn(2));
    readWith(() => new TypeError("of this reader"));
    const report = await store.sync();
    expect(report).toMatchObject({ files_read: 0, unreadable: [{ message: "of this reader" }] });
    asItWas();
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2 });
    // Whatever is thrown.
    store.append(turn(3));
    readWith(() => "no error at all");
    expect(await store.sync()).toMatchObject({ files_read: 0, unreadable: [{ message: "no error at all" }] });
  });

  it("because the disk of the book is full ends the sync, with the place and the bytes wanted", async () => {
    const store = two();
    const write = Object.getOwnPropertyDescriptor(PageWriter.prototype, "commit")?.value as PageWriter["commit"];
    const full = vi.spyOn(PageWriter.prototype, "commit").mockImplementation(function (this: PageWriter, ...given) {
      // The second that is read.
      if (full.mock.calls.length > 1) throw new DiskFullError("/some/page", 77);
      write.apply(this, given);
    });
    replaced.push(full);
    await expect(store.sync()).rejects.toMatchObject({ path: "/some/page", bytes: 77, everywhere: true });
    asItWas();
    expect(store.known()).toBe("2");
    expect(await store.sync()).toMatchObject({ files_read: 1 });
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("is told by a thread as it is told here, without what cannot be handed over", () => {
    const store = new Store();
    store.write(turn(1));
    const path = store.path();
    const size = readFileSync(path).length;
    const job = {
      want: "ingest" as const,
      ref: { source: "claude-code", path, size, mtimeMs: 0, container: "jsonl" as const },
      bytes: size,
      page: join(store.home, "book", "page"),
      otherwise: null,
      cursor: null,
      fingerprint: null,
      saved: null,
      resting: null,
      tail: [],
      drift: null,
      durable: false,
    };
    const { done, ...rest } = ingestJob(job);
    expect(done).toMatchObject({ session_id: `${ID}1`, entries: 2, lines: 2, whole: true });
    expect(rest).toEqual({});
    rmSync(path);
    expect(Object.keys(ingestJob({ ...job, page: `${job.page}2` }))).toEqual(["error"]);
  });
});

describe("a session that cannot be put together", () => {
  it("says so once, beside what else is wrong with its file", async () => {
    const store = two();
    store.append(["{ torn }\n", ...of(2, turn(3))], store.path(2));
    const before = await store.sync();
    expect(before.unreadable).toEqual([]);
    expect(filesOf(store)).toEqual([
      [0, []],
      [0, ["line_corrupt"]],
    ]);
    for (const n of [4, 5]) {
      // Both are put together whole: the one names the other.
      store.append([{ ...(asked("on", n * 10) as object), uuid: `same ${n}` }]);
      store.append(of(2, [{ ...(asked("on", n * 10) as object), uuid: `same ${n}` }]), store.path(2));
      broken.at = { pattern: LOAD, session: 2, error: new Error("broken") };
      const { unreadable } = await store.sync();
      expect(unreadable.map(({ path }) => path)).toEqual([store.path(), store.path(2)]);
      broken.at = null;
      expect(filesOf(store)).toEqual([
        [1, ["file_unreadable"]],
        [1, ["line_corrupt", "file_unreadable"]],
      ]);
    }
    store.append(turn(6));
    expect((await store.sync()).unreadable).toEqual([]);
    expect(filesOf(store)).toEqual([
      [0, []],
      [0, ["line_corrupt"]],
    ]);
  });

  it("leaves those alone that it has nothing to do with, though they are looked at together", async () => {
    const store = new Store();
    const begin = of(2, turn(2));
    store.write(turn(1));
    store.write(begin, store.path(2));
    await store.sync();
    change(store, `INSERT INTO link (a, b) VALUES ('claude-code/${ID}1', 'claude-code/${ID}2')`);
    // Two files of one session that begin alike are told by reading one of them again.
    store.write([...begin, ...of(2, turn(4))], store.path(2, "q"));
    store.append(turn(3));
    readWith(({ inherited }) => (inherited ? new Error("broken") : null));
    const { unreadable } = await store.sync();
    expect(unreadable.map(({ code, path }) => [code, path])).toEqual([
      ["file_unreadable", store.path(2)],
      ["file_unreadable", store.path(2, "q")],
    ]);
    asItWas();
    expect(filesOf(store).map(([stale]) => stale)).toEqual([0, 1, 1]);
    expect(await store.prompts()).toEqual(["question 1", "question 3"]);
    store.append(of(2, turn(5)), store.path(2));
    expect(await store.sync()).toMatchObject({ unreadable: [] });
    expect(await store.prompts()).toEqual([1, 2, 3, 4, 5].map((n) => `question ${n}`));
  });

  it("is no such one where a file lies about twice", async () => {
    const store = new Store();
    const lines = turn(1);
    for (const folder of ["p", "q"]) store.write(lines, store.path(1, folder));
    store.write(of(2, turn(2)), store.path(2));
    expect(await store.sync()).toMatchObject({ files_read: 3, unreadable: [] });
    expect(await store.prompts()).toEqual(["question 1", "question 2"]);
    expect(filesOf(store).map(([stale]) => stale)).toEqual([0, 0, 0]);
  });
});

describe("an index that lost something", () => {
  /** So many turns that they do not lie in one piece. */
  const long = (turns: number): Store => {
    const store = new Store();
    store.write(Array.from({ length: turns }, (_, n) => turn(n + 1)).flat());
    return store;
  };

  it.each<[string, turns: number, responses: number, ...Line[]]>([
    ["DELETE FROM piece", 20, 21, said("on", 999)],
    ["UPDATE memory SET saved = x'00'", 20, 21, said("on", 999)],
    // A larger statement of the first response: those before it are in a piece by now.
    ["UPDATE piece SET body = x'00'", 130, 130, said("more", 999, "m11")],
  ])("that a file needs to go on has the file read from its start: %s", async (damage, turns, responses, ...more) => {
    const store = long(turns);
    await store.sync();
    change(store, damage);
    store.append(more);
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: turns * 2 + 1, unreadable: [] });
    expect(store.notes).toEqual([]);
    // It is trusted no more, and made again by the next.
    await store.sync();
    expect(await store.prompts()).toHaveLength(turns);
    expect([store.pages().length, store.responses()]).toEqual([1, responses]);
  });

  it("that a session is put together from is made again, and says so", async () => {
    const store = long(20);
    store.write(turn(301), store.path(1, "q"));
    await store.sync();
    change(store, `DELETE FROM piece WHERE unit = (SELECT id FROM unit WHERE path = '${store.path()}')`);
    store.append(turn(302), store.path(1, "q"));
    expect(await store.sync()).toMatchObject({ pages_rebuilt: 2, unreadable: [] });
    expect(store.notes).toEqual(["the index was damaged; made again from the book (2 pages)"]);
    expect(await store.prompts()).toHaveLength(22);
  });

  it("that cannot be opened even when it was just made is said to be so", async () => {
    const store = two();
    replaced.push(vi.spyOn(IndexStore, "openExisting").mockReturnValue(null));
    await expect(store.sync()).rejects.toMatchObject({
      message: "the index cannot be opened",
      code: "unreadable",
      op: "sync",
      path: store.home,
    });
  });
});

describe("a title beside a session", () => {
  const rename = (store: Store, n: number, title: string): void => {
    const path = join(dirname(store.path(n, "projects/p")), `${ID}${n}`, "custom-title.json");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ customTitle: title }));
  };
  const titles = async (store: Store): Promise<(string | null)[]> => {
    const daybook = open(store.roots, store.home, { noSync: true });
    const sessions = await daybook.sessions();
    daybook.close();
    return sessions.map(({ title }) => title).toReversed();
  };

  it("is taken up when it changes, though no session did, and not of one that was forgotten", async () => {
    const store = new Store();
    store.write(turn(1), store.path(1, "projects/p"));
    store.write(of(2, turn(2)), store.path(2, "projects/p"));
    rename(store, 1, "First");
    await store.sync();
    expect(await titles(store)).toEqual(["First", "question 2"]);
    rename(store, 1, "First, again");
    rename(store, 2, "Second");
    expect(did(await store.sync())).toEqual({ files_read: 0, entries: 0, sessions_refreshed: 2, gone: 0 });
    expect(await titles(store)).toEqual(["First, again", "Second"]);

    const known = { source: "claude-code", session_id: `${ID}1`, forgotten_at: "2026-01-01T00:00:00.000Z", files: [] };
    addForgotten(store.home, [known]);
    rename(store, 1, "Nobody's concern");
    rename(store, 2, "Second, again");
    await store.sync();
    expect(store.tables()["title"]).toEqual([
      JSON.stringify({ session_id: `${ID}1`, title: "First, again" }),
      JSON.stringify({ session_id: `${ID}2`, title: "Second, again" }),
    ]);
  });
});

it("a file that only inside says that its session was forgotten is not kept, and known from then on", async () => {
  const store = new Store("codex");
  const [own, other] = ["019e0000-0000-7000-8000-000000000001", "019e0000-0000-7000-8000-000000000002"];
  const path = join(store.dir, "sessions", `rollout-2026-05-01T00-00-00-${other}.jsonl`);
  store.write([M(own), E("a prompt")], path);
  const forgotten = (source: string, session_id: string): Parameters<typeof addForgotten>[1][number] => ({
    source,
    session_id,
    forgotten_at: "2026-01-01T00:00:00.000Z",
    files: [`${source}-${session_id.at(-1)}`],
  });
  const before = [forgotten("codex", "x9"), forgotten("claude-code", own), forgotten("codex", own)];
  addForgotten(store.home, before);
  expect(await store.sync()).toMatchObject({ files_seen: 1, files_read: 0, entries: 0, sessions_refreshed: 0 });
  expect(store.known()).toBe("");
  expect(new Forgotten(store.home).all).toEqual([
    ...before.slice(0, 2),
    { ...before[2], files: ["codex-1", fileHash({ source: "codex", path })] },
  ]);
  const pages = new Store("codex");
  expect(await store.sync()).toMatchObject({ files_seen: 0, files_read: 0 });
  expect(pages.known()).toBe("");
});
