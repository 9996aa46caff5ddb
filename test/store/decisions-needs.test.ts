import { rmSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ReadDemand } from "../../src/index/sync/reading-order.ts";
import { E, M } from "../cases/build.ts";
import { broken, Store, WRITE, type Line } from "./small-store.ts";

// What a sync for a query reads first, and what it leaves unread. Must be quick: `npm run mutate` runs these tests. The
// lines are synthetic.

const ID = "019e0000-0000-7000-8000-00000000000";
const day = (n: number): number => Date.UTC(2026, 4, n);
const noon = (n: number): string => new Date(day(n) + 43_200_000).toISOString();

/** A Codex session of one prompt on a day of May; `from`: the session that the field `as` names. */
const session = (n: number, date: number, from?: number, as = "forked_from_id"): Line[] => {
  const header = M(`${ID}${n}`, from === undefined ? {} : { [as]: `${ID}${from}` });
  return [header, E(`prompt ${n}`)].map((line) => ({ ...line, timestamp: noon(date) }));
};

class Rollouts extends Store {
  constructor() {
    super("codex");
  }

  override path(n: number): string {
    return `${this.dir}/sessions/rollout-2026-05-01T00-00-00-${ID}${n}.jsonl`;
  }

  add(...args: Parameters<typeof session>): void {
    this.write(session(...args), this.path(args[0]));
  }

  size(n: number): number {
    return statSync(this.path(n)).size;
  }
}

const since = (date: number, more: Partial<ReadDemand> = {}): ReadDemand => ({
  least: 0,
  end: null,
  start: () => day(date),
  ...more,
});

describe("a sync for a query about the newest days", () => {
  const threeSessions = (): Rollouts => {
    const store = new Rollouts();
    for (const n of [1, 2, 3]) store.add(n, n);
    return store;
  };

  it("reads the files of these days, newest first, and counts what is left", async () => {
    const store = threeSessions();
    expect(await store.syncFor(since(2))).toMatchObject({
      files_seen: 3,
      files_read: 2,
      sessions_refreshed: 2,
      files_left: 1,
      bytes_left: store.size(1),
    });
    expect(store.known()).toBe("32");
    expect(await store.syncFor(since(2))).toMatchObject({ files_read: 0, files_left: 1 });
    expect(await store.syncFor(since(0))).toMatchObject({ files_read: 1, files_left: 0, bytes_left: 0 });
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("reads all files if fewer bytes than `least` are new", async () => {
    const bytes = [1, 2, 3].reduce((sum, n) => sum + threeSessions().size(n), 0);
    const few = threeSessions();
    expect(await few.syncFor(since(3, { least: bytes + 1 }))).toMatchObject({ files_read: 3, files_left: 0 });
    const many = threeSessions();
    expect(await many.syncFor(since(3, { least: bytes }))).toMatchObject({ files_read: 1, files_left: 2 });
  });

  it("orders files by the times inside them if much is new, else by modification time", async () => {
    const writtenInReverse = (): Rollouts => {
      const store = new Rollouts();
      // The session of the newest day has the oldest modification time.
      for (const n of [3, 2, 1]) store.add(n, n);
      return store;
    };
    const [much, little] = [writtenInReverse(), writtenInReverse()];
    await much.syncFor(since(0));
    expect(much.known()).toBe("321");
    await little.syncFor(since(0, { least: Infinity }));
    expect(little.known()).toBe("123");
  });

  it("counts only the appended bytes of a grown file as left", async () => {
    const store = threeSessions();
    await store.sync();
    const before = store.size(1);
    store.append([{ ...E("more"), timestamp: noon(1) }], store.path(1));
    expect(await store.syncFor(since(9))).toMatchObject({ files_left: 1, bytes_left: store.size(1) - before });
    expect(await store.syncFor(since(0))).toMatchObject({ files_read: 1, entries: 1 });
    expect(store.assembled).toBe("");
    // Codex records have no ids that other files could share.
    expect(store.tables()["identity"]).toEqual([]);
  });

  it("also reads the parent of a sub-agent", async () => {
    const store = new Rollouts();
    store.add(1, 1);
    store.add(2, 5, 1, "parent_thread_id");
    const readable: unknown[] = [];
    expect(
      await store.syncFor(since(5), { onProgress: (progress) => void readable.push(progress.readable) }),
    ).toMatchObject({
      files_read: 2,
      files_left: 0,
    });
    // After the first round, everything since its day is complete.
    expect(readable).toEqual([null, { days: 1, of: 2, since: "2026-05-05" }]);
    expect(store.tables()["link"]).toHaveLength(2);
  });

  it("also reads the session a fork continues, before it asks again from which day on to read", async () => {
    const store = new Rollouts();
    for (const n of [1, 2, 3]) store.add(n, n);
    store.add(4, 5, 1);
    const knownWhenAsked: string[] = [];
    const start: ReadDemand["start"] = (index) => {
      knownWhenAsked.push(
        index
          .files()
          .map(({ session_id }) => session_id.at(-1))
          .join(""),
      );
      return knownWhenAsked.length < 2 ? day(5) : day(3);
    };
    expect(await store.syncFor(since(0, { start }))).toMatchObject({ files_read: 3, files_left: 1 });
    expect(store.known()).toBe("413");
    expect(knownWhenAsked).toEqual(["", "41", "413"]);
  });

  it("assembles sessions that an earlier sync left stale, though it reads no file", async () => {
    const store = new Rollouts();
    store.add(1, 1);
    broken.at = { pattern: WRITE, session: `${ID}1`, error: new Error("broken") };
    expect((await store.sync()).unreadable).toHaveLength(1);
    broken.at = null;
    store.add(2, 2);
    expect(await store.syncFor(since(9))).toMatchObject({ files_read: 0, sessions_refreshed: 1, files_left: 1 });
    expect(store.assembled).toBe("1");
  });

  it("stops reading when it is aborted", async () => {
    const store = new Rollouts();
    for (const n of [1, 2]) store.add(n, n);
    store.add(3, 5, 1);
    const stop = new AbortController();
    const read = await store.syncFor(since(5), { signal: stop.signal, onProgress: () => stop.abort() });
    expect(read).toMatchObject({ files_read: 1, files_left: 2 });
    expect(await store.sync()).toMatchObject({ files_read: 2, files_left: 0 });
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("reports files and bytes as progress", async () => {
    const store = threeSessions();
    const progress: unknown[] = [];
    await store.syncFor(since(2), { onProgress: (done) => void progress.push(done) });
    const [last, before] = [store.size(3), store.size(2)];
    expect(progress).toEqual([
      { files: 1, of: 2, bytes: last, ofBytes: last + before, readable: null },
      { files: 2, of: 2, bytes: last + before, ofBytes: last + before, readable: null },
    ]);
  });

  it("does not mark files as gone that it left unread", async () => {
    const store = threeSessions();
    await store.syncFor(since(3));
    rmSync(store.path(3));
    expect(await store.syncFor(since(3))).toMatchObject({ files_read: 0, gone: 1, files_left: 2 });
    expect(await store.sync()).toMatchObject({ files_read: 2, gone: 0, files_left: 0 });
  });
});
