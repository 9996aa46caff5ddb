import { rmSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ReadDemand } from "../../src/store/sync/reading-order.ts";
import { E, M } from "../cases/build.ts";
import { broken, LOAD, Store, type Line } from "./small-store.ts";

/** What a sync reads first where a question waits, and what it leaves; quick enough for `npm run mutate`. Lines are hand-written. */
const ID = "019e0000-0000-7000-8000-00000000000";
const day = (n: number): number => Date.UTC(2026, 4, n);
const noon = (n: number): string => new Date(day(n) + 43_200_000).toISOString();

/** A Codex session of one prompt on a day of May; `from`: it goes on from another. */
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

  add(...given: Parameters<typeof session>): void {
    this.write(session(...given), this.path(given[0]));
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

describe("a question that needs the newest days", () => {
  const three = (): Rollouts => {
    const store = new Rollouts();
    for (const n of [1, 2, 3]) store.add(n, n);
    return store;
  };

  it("has these read, the newest first, and counts what is left", async () => {
    const store = three();
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

  it("has all read where no more is new than can be read in a moment", async () => {
    const bytes = [1, 2, 3].reduce((sum, n) => sum + three().size(n), 0);
    const few = three();
    expect(await few.syncFor(since(3, { least: bytes + 1 }))).toMatchObject({ files_read: 3, files_left: 0 });
    const many = three();
    expect(await many.syncFor(since(3, { least: bytes }))).toMatchObject({ files_read: 1, files_left: 2 });
  });

  it("looks into the files for their times, where much is new, and else at them", async () => {
    const turned = (): Rollouts => {
      const store = new Rollouts();
      // The newest was written to first.
      for (const n of [3, 2, 1]) store.add(n, n);
      return store;
    };
    const [much, little] = [turned(), turned()];
    await much.syncFor(since(0));
    expect(much.known()).toBe("321");
    await little.syncFor(since(0, { least: Infinity }));
    expect(little.known()).toBe("123");
  });

  it("leaves of a file that grew what is new of it", async () => {
    const store = three();
    await store.sync();
    const before = store.size(1);
    store.append([{ ...E("more"), timestamp: noon(1) }], store.path(1));
    expect(await store.syncFor(since(9))).toMatchObject({ files_left: 1, bytes_left: store.size(1) - before });
    expect(await store.syncFor(since(0))).toMatchObject({ files_read: 1, entries: 1 });
    expect(store.whole).toBe("");
    // Names of records are of no other file's concern here.
    expect(store.tables()["identity"]).toEqual([]);
  });

  it("has the parent read of whoever ran for another", async () => {
    const store = new Rollouts();
    store.add(1, 1);
    store.add(2, 5, 1, "parent_thread_id");
    const said: unknown[] = [];
    expect(await store.syncFor(since(5), { onProgress: ({ readable }) => void said.push(readable) })).toMatchObject({
      files_read: 2,
      files_left: 0,
    });
    // After the first round everything since its day can be asked about.
    expect(said).toEqual([null, { days: 1, of: 2, since: "2026-05-05" }]);
    expect(store.tables()["link"]).toHaveLength(2);
  });

  it("has those read too that these go on from, and then looks whether it is enough", async () => {
    const store = new Rollouts();
    for (const n of [1, 2, 3]) store.add(n, n);
    store.add(4, 5, 1);
    const asked: string[] = [];
    const start: ReadDemand["start"] = (index) => {
      asked.push(
        index
          .units()
          .map(({ session_id }) => session_id.at(-1))
          .join(""),
      );
      return asked.length < 2 ? day(5) : day(3);
    };
    expect(await store.syncFor(since(0, { start }))).toMatchObject({ files_read: 3, files_left: 1 });
    expect(store.known()).toBe("413");
    // What belongs to the fourth comes before it is asked again.
    expect(asked).toEqual(["", "41", "413"]);
  });

  it("that needs nothing has put together what an earlier sync left", async () => {
    const store = new Rollouts();
    store.add(1, 1);
    broken.at = { pattern: LOAD, session: `${ID}1`, error: new Error("broken") };
    expect((await store.sync()).unreadable).toHaveLength(1);
    broken.at = null;
    store.add(2, 2);
    expect(await store.syncFor(since(9))).toMatchObject({ files_read: 0, sessions_refreshed: 1, files_left: 1 });
    expect(store.whole).toBe("1");
  });

  it("reads no further when it is stopped", async () => {
    const store = new Rollouts();
    for (const n of [1, 2]) store.add(n, n);
    store.add(3, 5, 1);
    const stop = new AbortController();
    const read = await store.syncFor(since(5), { signal: stop.signal, onProgress: () => stop.abort() });
    expect(read).toMatchObject({ files_read: 1, files_left: 2 });
    expect(await store.sync()).toMatchObject({ files_read: 2, files_left: 0 });
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("is told how far it is, and which days can be asked about", async () => {
    const store = three();
    const said: unknown[] = [];
    await store.syncFor(since(2), { onProgress: (done) => void said.push(done) });
    const [last, before] = [store.size(3), store.size(2)];
    expect(said).toEqual([
      { files: 1, of: 2, bytes: last, ofBytes: last + before, readable: null },
      { files: 2, of: 2, bytes: last + before, ofBytes: last + before, readable: null },
    ]);
  });

  it("takes nobody for gone whom it left for later", async () => {
    const store = three();
    await store.syncFor(since(3));
    rmSync(store.path(3));
    expect(await store.syncFor(since(3))).toMatchObject({ files_read: 0, gone: 1, files_left: 2 });
    expect(await store.sync()).toMatchObject({ files_read: 2, gone: 0, files_left: 0 });
  });
});
