import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { assembleAll, assembleSome } from "../../src/store/sync/drafts.ts";
import { readRemainder } from "../../src/store/sync/generations.ts";
import { IndexStore } from "../../src/store/tables/index-store.ts";
import type { Assembly } from "../../src/turns/assemble.ts";
import { asked, ID, lineOf, of, said, Store, turn, type Line } from "./small-store.ts";

/** What is told of sessions from what the book keeps of their files; quick enough for `npm run mutate`. */
const key = (n: number): string => `claude-code/${ID}${n}`;

function withIndex<T>(store: Store, work: (index: IndexStore) => T): T {
  const index = IndexStore.openExisting(store.home);
  if (!index) throw new Error("no index");
  try {
    return work(index);
  } finally {
    index.close();
    IndexStore.release(store.home);
  }
}

const change = (store: Store, sql: string): void =>
  withIndex(store, (index) => index.transaction(() => void index.run(sql)));

/** The prompts of each session, by its last digit. */
function prompts({ sessions }: Assembly): Record<string, string[]> {
  const lists = sessions.map((session): [string, string[]] => [
    session.session_id.at(-1) ?? "",
    session.turns.map(({ draft }) => draft.trigger.text),
  ]);
  return Object.fromEntries(lists);
}

/** Lines of each page of which words can be found, the page by its generation. */
function found(store: Store): Record<string, number[]> {
  const pages: Record<string, number[]> = {};
  for (const row of store.tables()["doc"] ?? []) {
    const { page, line } = JSON.parse(row) as { page: string; line: number };
    (pages[/\.g\d$/.exec(page)?.[0] ?? ""] ??= []).push(line);
  }
  for (const lines of Object.values(pages)) lines.sort((a, b) => a - b);
  return pages;
}

async function three(): Promise<Store> {
  const store = new Store();
  store.write(turn(1));
  store.write(of(2, turn(2)), store.path(2));
  // It holds a response that the first holds too.
  store.write(of(3, [...turn(3), said("once more", 35, "m11")]), store.path(3));
  await store.sync();
  return store;
}

describe("sessions put together for an answer", () => {
  it("are all there are, or those that are meant", async () => {
    const store = await three();
    const all = { "1": ["question 1"], "2": ["question 2"], "3": ["question 3"] };
    withIndex(store, (index) => {
      expect(prompts(assembleAll(index, null))).toEqual(all);
      expect(assembleAll(index, null).diagnostics).toEqual([]);
      expect(prompts(assembleAll(index, new Set([key(2)])))).toEqual({ "2": all[2] });
      expect(prompts(assembleAll(index, new Set([key(9)])))).toEqual({});
    });
  });

  it("are those that are asked for with whoever has to do with them, as far as these are meant", async () => {
    const store = await three();
    const some = (wanted: number, ...scope: number[]): string =>
      withIndex(store, (index) => {
        const assembly = assembleSome(index, [key(wanted)], scope.length === 0 ? null : new Set(scope.map(key)));
        expect(assembly.diagnostics).toEqual([]);
        return Object.keys(prompts(assembly)).join("");
      });
    const ask = (): string[] => [some(1), some(2), some(3), some(3, 3), some(3, 2, 3), some(3, 1, 3), some(3, 1)];
    expect(ask()).toEqual(["13", "2", "13", "3", "3", "13", "1"]);
    // They are found by what they hold, where nothing says that they belong together.
    change(store, "DELETE FROM link");
    expect(ask()).toEqual(["1", "2", "13", "3", "3", "13", ""]);
  });

  it("leave out the file that cannot be told, and name it", async () => {
    const store = await three();
    change(store, `UPDATE memory SET tail = '[null]' WHERE unit = (SELECT id FROM unit WHERE session_id = '${ID}2')`);
    withIndex(store, (index) => {
      for (const assembly of [assembleAll(index, null), assembleSome(index, [key(1), key(2)], null)]) {
        expect(Object.keys(prompts(assembly))).toEqual(["1", "3"]);
        expect(assembly.diagnostics).toMatchObject([{ code: "file_unreadable", path: store.path(2) }]);
      }
    });
    // A sync has none of them then: half a session would be taken for all of it.
    change(store, `UPDATE unit SET stale = 1 WHERE session_id = '${ID}2'`);
    store.append(turn(4));
    const { unreadable } = await store.sync();
    expect(unreadable).toMatchObject([{ code: "file_unreadable", path: store.path(2) }]);
    expect(unreadable[0]?.message).not.toContain("push");
    expect(unreadable[0]?.message).toContain("null");
    expect(await store.prompts()).toEqual(["question 1", "question 3", "question 4"]);
  });

  it("are not told at all from an index that lost something of them", async () => {
    const store = new Store();
    store.write(Array.from({ length: 20 }, (_, n) => turn(n + 1)).flat());
    await store.sync();
    change(store, "DELETE FROM piece");
    withIndex(store, (index) => {
      expect(() => assembleAll(index, null)).toThrow(
        expect.objectContaining({
          cause: expect.stringMatching(/^pieces of book\/\S+ are missing$/) as string,
        }) as Error,
      );
    });
  });

  it("say of a file that is gone that it was deleted", async () => {
    const store = await three();
    rmSync(store.path(2));
    await store.sync();
    const gone = withIndex(store, (index) => assembleAll(index, null).sessions.flatMap(({ parts }) => parts));
    expect(gone.map((part) => part.gone)).toEqual([null, "deleted", null]);
  });
});

describe("files of one session", () => {
  const copies = async (one: readonly Line[], other: readonly Line[]): Promise<Store> => {
    const store = new Store();
    store.write(one);
    store.write(other, store.path(1, "q"));
    await store.sync();
    return store;
  };
  const parts = (store: Store): number =>
    withIndex(store, (index) => assembleAll(index, null).sessions.flatMap((session) => session.parts).length);
  const unfinished = (words: string): string => lineOf(asked(words, 500)).trimEnd();

  it("are one where all that is kept of them is the same", async () => {
    const lines = Array.from({ length: 20 }, (_, n) => turn(n + 1)).flat();
    expect(parts(await copies(lines, lines))).toBe(1);
    expect(parts(await copies(lines, [...lines.slice(0, -1), said("answer 2O", 201)]))).toBe(2);
  });

  it("are not where they differ in what may change yet, in more than the order of its fields", async () => {
    const lines = turn(1);
    const end = unfinished("unfinished");
    expect(parts(await copies([...lines, end], [...lines, unfinished("not finished")]))).toBe(2);
    const store = await copies([...lines, end], [...lines, end]);
    expect(parts(store)).toBe(1);
    const tail = withIndex(store, (index) => index.get("SELECT max(unit) AS unit, tail FROM memory"));
    const [entry = {}] = JSON.parse(String(tail?.["tail"])) as object[];
    const turned = JSON.stringify([Object.fromEntries(Object.entries(entry).toReversed())]).replaceAll("'", "''");
    expect(turned).not.toBe(tail?.["tail"]);
    change(store, `UPDATE memory SET tail = '${turned}' WHERE unit = ${String(tail?.["unit"])}`);
    expect(parts(store)).toBe(1);
  });
});

describe("a file that was rewritten", () => {
  const [first, second, third] = [turn(1), turn(2), turn(3)];

  it("is found once: by the words of its newer page, and of the older one by those that are lost", async () => {
    const store = new Store();
    store.write([...first, ...second]);
    await store.sync();
    expect(found(store)).toEqual({ "": [1, 2, 3, 4] });
    store.write([...first, ...third]);
    await store.sync();
    expect(found(store)).toEqual({ "": [3, 4], ".g2": [1, 2, 3, 4] });
    expect(await store.prompts()).toEqual(["question 1", "question 2", "question 3"]);
    const parts = withIndex(store, (index) => assembleAll(index, null).sessions.flatMap((session) => session.parts));
    expect(new Set(parts.map((part) => part.gone))).toEqual(new Set([null, "rewritten"]));
    expect(parts.find((part) => part.gone === "rewritten")?.drift).toEqual({
      versions: {},
      unknownTypes: {},
      unknownFields: {},
    });
  });

  it("has no older page any more where nothing is lost", async () => {
    const store = new Store();
    store.write(first);
    await store.sync();
    store.write([...third, ...first]);
    await store.sync();
    expect(found(store)).toEqual({ ".g2": [1, 2, 3, 4] });
    const parts = withIndex(store, (index) => assembleAll(index, null).sessions.flatMap((session) => session.parts));
    expect(parts.map((part) => part.gone)).toEqual([null]);
    expect(await store.prompts()).toEqual(["question 1", "question 3"]);
  });

  it("keeps what it lost, though another file of the session says it by now", async () => {
    const store = new Store();
    const other = store.path(1, "q");
    store.write([...first, ...second]);
    store.write(third, other);
    await store.sync();
    const [page = ""] = withIndex(store, (index) => index.units().filter(({ ref }) => ref.path === store.path())).map(
      (unit) => unit.page,
    );
    store.write(first);
    await store.sync();
    store.write([...second, ...turn(4)], other);
    await store.sync();
    expect(readRemainder(join(store.home, page))).not.toBeNull();
    expect(await store.prompts()).toEqual([1, 2, 3, 4].map((n) => `question ${n}`));
    expect(store.responses()).toBe(4);
  });

  it("is told for an answer without a word written", async () => {
    const store = new Store();
    store.write([...first, ...second]);
    await store.sync();
    store.write(first);
    await store.sync();
    withIndex(store, (index) => {
      const batched = vi.spyOn(index, "batched");
      expect(prompts(assembleAll(index, null))).toEqual({ "1": ["question 1", "question 2"] });
      expect(prompts(assembleSome(index, [key(1)], null))).toEqual({ "1": ["question 1", "question 2"] });
      expect(batched).not.toHaveBeenCalled();
    });
  });
});
