import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { claudeCode } from "../../src/agents/claude-code/source.ts";
import type { ReadContext } from "../../src/agents/contract.ts";
import { DiskFullError } from "../../src/base/io/disk.ts";
import { addForgotten, fileHash, Forgotten } from "../../src/book/pages/forgotten.ts";
import { PageWriter } from "../../src/book/pages/page.ts";
import { ingestJob } from "../../src/index/sync/ingest.ts";
import { SegmentBuilder } from "../../src/index/words/segment-builder.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { E, M } from "../cases/build.ts";
import { open } from "./fixture.ts";
import {
  answerLine,
  broken,
  countsOf,
  ID,
  inSession,
  LOAD,
  promptLine,
  Store,
  turn,
  type Line,
} from "./small-store.ts";
import { afterEach, describe, expect, it, vi } from "vitest";

// What a sync does if one file cannot be read or indexed, or a session not assembled. Must be quick: `npm run mutate`
// runs these tests.

const mocks: { mockRestore: () => void }[] = [];
afterEach(() => restoreMocks());

/** Makes the reader throw what `errorFor` returns, unless that is null. */
function failReading(errorFor: (ctx: ReadContext) => unknown): void {
  const read = claudeCode.read.bind(claudeCode);
  const reading = vi.spyOn(claudeCode, "read").mockImplementation((ref, cursor, ctx) => {
    const error = errorFor(ctx);
    if (error !== null) throw error;
    return read(ref, cursor, ctx);
  });
  mocks.push(reading);
}

function restoreMocks(): void {
  for (const one of mocks.splice(0)) one.mockRestore();
}

/** Of each file: whether its session is stale, and the codes of its problems. */
function filesOf(store: Store): [stale: number, codes: string[]][] {
  return (store.tables()["file"] ?? []).map((row) => {
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

function twoSessions(): Store {
  const store = new Store();
  store.write(turn(1));
  store.write(inSession(2, turn(2)), store.path(2));
  return store;
}

describe("a file that cannot be indexed", () => {
  const INSERT_IDENTITY = /^INSERT OR IGNORE INTO identity/;

  it("is reported, does not affect other files, and is read again by the next sync", async () => {
    const store = twoSessions();
    await store.sync();
    store.append(turn(3));
    store.append(inSession(2, turn(4)), store.path(2));
    broken.at = { pattern: INSERT_IDENTITY, session: 2, error: new Error("broken") };
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

  it("makes the sync fail if the disk is full", async () => {
    const store = twoSessions();
    broken.at = { pattern: INSERT_IDENTITY, session: 2, error: Object.assign(new Error("no room"), { errcode: 13 }) };
    await expect(store.sync()).rejects.toThrow("no room");
  });
});

describe("a file that cannot be read", () => {
  it("is reported with the error, and read once it can be", async () => {
    const store = twoSessions();
    const aside = `${store.path()}.aside`;
    // The newest file is read first; the other one is moved away meanwhile.
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

  it("from its cursor is not read from its start instead", async () => {
    const store = new Store();
    store.write(turn(1));
    await store.sync();
    store.append(turn(2));
    failReading(() => new TypeError("of this reader"));
    const report = await store.sync();
    expect(report).toMatchObject({ files_read: 0, unreadable: [{ message: "of this reader" }] });
    restoreMocks();
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2 });
    // The reader may throw something that is not an Error.
    store.append(turn(3));
    failReading(() => "no error at all");
    expect(await store.sync()).toMatchObject({ files_read: 0, unreadable: [{ message: "no error at all" }] });
  });

  it("because the disk is full makes the sync fail, naming the path and the bytes needed", async () => {
    const store = twoSessions();
    const write = Object.getOwnPropertyDescriptor(PageWriter.prototype, "commit")?.value as PageWriter["commit"];
    const full = vi.spyOn(PageWriter.prototype, "commit").mockImplementation(function (this: PageWriter, ...args) {
      // Fails for the second file.
      if (full.mock.calls.length > 1) throw new DiskFullError("/some/page", 77);
      write.apply(this, args);
    });
    mocks.push(full);
    await expect(store.sync()).rejects.toMatchObject({ path: "/some/page", bytes: 77, everywhere: true });
    restoreMocks();
    expect(store.known()).toBe("2");
    expect(await store.sync()).toMatchObject({ files_read: 1 });
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("makes ingestJob return only an error, and a readable file only a result", () => {
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
      rows: null,
    };
    const { done, ...rest } = ingestJob(job, new SegmentBuilder());
    expect(done).toMatchObject({ session_id: `${ID}1`, entries: 2, lines: 2, whole: true });
    expect(rest).toEqual({});
    rmSync(path);
    expect(Object.keys(ingestJob({ ...job, page: `${job.page}2` }, new SegmentBuilder()))).toEqual(["error"]);
  });
});

describe("a session that cannot be assembled", () => {
  it("is reported once for each file, beside other problems of the file", async () => {
    const store = twoSessions();
    store.append(["{ torn }\n", ...inSession(2, turn(3))], store.path(2));
    const before = await store.sync();
    expect(before.unreadable).toEqual([]);
    expect(filesOf(store)).toEqual([
      [0, []],
      [0, ["line_corrupt"]],
    ]);
    for (const n of [4, 5]) {
      // Both are assembled whole, because they share a record.
      store.append([{ ...(promptLine("on", n * 10) as object), uuid: `same ${n}` }]);
      store.append(inSession(2, [{ ...(promptLine("on", n * 10) as object), uuid: `same ${n}` }]), store.path(2));
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

  it("does not affect a linked session that turns out to be unrelated", async () => {
    const store = new Store();
    const begin = inSession(2, turn(2));
    store.write(turn(1));
    store.write(begin, store.path(2));
    await store.sync();
    change(store, `INSERT INTO link (a, b) VALUES ('claude-code/${ID}1', 'claude-code/${ID}2')`);
    // Two files of one session with the same beginning are compared by reading one of them again.
    store.write([...begin, ...inSession(2, turn(4))], store.path(2, "q"));
    store.append(turn(3));
    failReading(({ inherited }) => (inherited ? new Error("broken") : null));
    const { unreadable } = await store.sync();
    expect(unreadable.map(({ code, path }) => [code, path])).toEqual([
      ["file_unreadable", store.path(2)],
      ["file_unreadable", store.path(2, "q")],
    ]);
    restoreMocks();
    expect(filesOf(store).map(([stale]) => stale)).toEqual([0, 1, 1]);
    expect(await store.prompts()).toEqual(["question 1", "question 3"]);
    store.append(inSession(2, turn(5)), store.path(2));
    expect(await store.sync()).toMatchObject({ unreadable: [] });
    expect(await store.prompts()).toEqual([1, 2, 3, 4, 5].map((n) => `question ${n}`));
  });

  it("is not caused by an exact copy of a file", async () => {
    const store = new Store();
    const lines = turn(1);
    for (const folder of ["p", "q"]) store.write(lines, store.path(1, folder));
    store.write(inSession(2, turn(2)), store.path(2));
    expect(await store.sync()).toMatchObject({ files_read: 3, unreadable: [] });
    expect(await store.prompts()).toEqual(["question 1", "question 2"]);
    expect(filesOf(store).map(([stale]) => stale)).toEqual([0, 0, 0]);
  });
});

describe("an index that lost data", () => {
  /** A session with so many turns that its state has more than one slice. */
  const longSession = (turns: number): Store => {
    const store = new Store();
    store.write(Array.from({ length: turns }, (_, n) => turn(n + 1)).flat());
    return store;
  };

  it.each<[string, turns: number, responses: number, ...Line[]]>([
    ["DELETE FROM state_slice", 20, 21, answerLine("on", 999)],
    ["UPDATE read_state SET saved = x'00'", 20, 21, answerLine("on", 999)],
    // A larger usage statement for the first response, which is in a full slice by now.
    ["UPDATE state_slice SET body = x'00'", 130, 130, answerLine("more", 999, "m11")],
  ])(
    "needed to continue a file causes the file to be read from its start: %s",
    async (damage, turns, responses, ...more) => {
      const store = longSession(turns);
      await store.sync();
      change(store, damage);
      store.append(more);
      expect(await store.sync()).toMatchObject({ files_read: 1, entries: turns * 2 + 1, unreadable: [] });
      expect(store.notes).toEqual([]);
      // The index is no longer trusted, and rebuilt by the next sync.
      await store.sync();
      expect(await store.prompts()).toHaveLength(turns);
      expect([store.pages().length, store.responses()]).toEqual([1, responses]);
    },
  );

  it("needed to assemble a session is rebuilt, with a note", async () => {
    const store = longSession(20);
    store.write(turn(301), store.path(1, "q"));
    await store.sync();
    change(store, `DELETE FROM state_slice WHERE file = (SELECT id FROM file WHERE path = '${store.path()}')`);
    store.append(turn(302), store.path(1, "q"));
    expect(await store.sync()).toMatchObject({ pages_rebuilt: 2, unreadable: [] });
    expect(store.notes).toEqual(["the index was damaged; made again from the book (2 pages)"]);
    expect(await store.prompts()).toHaveLength(22);
  });

  it("and cannot be opened even after a rebuild makes the sync fail", async () => {
    const store = twoSessions();
    mocks.push(vi.spyOn(IndexStore, "openExisting").mockReturnValue(null));
    await expect(store.sync()).rejects.toMatchObject({
      message: "the index cannot be opened",
      code: "unreadable",
      op: "sync",
      path: store.home,
    });
  });
});

describe("a title in a file beside its session", () => {
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

  it("is updated though no session file changed, unless the session was forgotten", async () => {
    const store = new Store();
    store.write(turn(1), store.path(1, "projects/p"));
    store.write(inSession(2, turn(2)), store.path(2, "projects/p"));
    rename(store, 1, "First");
    await store.sync();
    expect(await titles(store)).toEqual(["First", "question 2"]);
    rename(store, 1, "First, again");
    rename(store, 2, "Second");
    expect(countsOf(await store.sync())).toEqual({ files_read: 0, entries: 0, sessions_refreshed: 2, gone: 0 });
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

it("a file whose content names a forgotten session is not stored, and skipped from then on", async () => {
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
  expect(await store.sync()).toMatchObject({ files_seen: 0, files_read: 0 });
  expect(store.known()).toBe("");
});
