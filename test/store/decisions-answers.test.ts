import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { assembleAll, assembleSome } from "../../src/index/sync/drafts.ts";
import { readRemainder } from "../../src/index/sync/generations.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import type { Assembly } from "../../src/turns/assemble.ts";
import { promptLine, ID, lineOf, inSession, answerLine, Store, turn, type Line } from "./small-store.ts";

// Sessions assembled from the saved state of their files. Must be quick: `npm run mutate` runs these tests.

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

/** The lines of each page that are in the full-text index; a page is named by its generation. */
function indexedLines(store: Store): Record<string, number[]> {
  const pages: Record<string, number[]> = {};
  for (const row of store.tables()["doc"] ?? []) {
    const { page, line } = JSON.parse(row) as { page: string; line: number };
    (pages[/\.g\d$/.exec(page)?.[0] ?? ""] ??= []).push(line);
  }
  for (const lines of Object.values(pages)) lines.sort((a, b) => a - b);
  return pages;
}

async function threeSessions(): Promise<Store> {
  const store = new Store();
  store.write(turn(1));
  store.write(inSession(2, turn(2)), store.path(2));
  // It shares a response with the first session.
  store.write(inSession(3, [...turn(3), answerLine("once more", 35, "m11")]), store.path(3));
  await store.sync();
  return store;
}

describe("sessions assembled for an answer", () => {
  it("are all sessions, or only those in scope", async () => {
    const store = await threeSessions();
    const all = { "1": ["question 1"], "2": ["question 2"], "3": ["question 3"] };
    withIndex(store, (index) => {
      expect(prompts(assembleAll(index, null))).toEqual(all);
      expect(assembleAll(index, null).diagnostics).toEqual([]);
      expect(prompts(assembleAll(index, new Set([key(2)])))).toEqual({ "2": all[2] });
      expect(prompts(assembleAll(index, new Set([key(9)])))).toEqual({});
    });
  });

  it("are the requested ones with their families, as far as these are in scope", async () => {
    const store = await threeSessions();
    const some = (wanted: number, ...scope: number[]): string =>
      withIndex(store, (index) => {
        const assembly = assembleSome(index, [key(wanted)], scope.length === 0 ? null : new Set(scope.map(key)));
        expect(assembly.diagnostics).toEqual([]);
        return Object.keys(prompts(assembly)).join("");
      });
    const assembled = (): string[] => [some(1), some(2), some(3), some(3, 3), some(3, 2, 3), some(3, 1, 3), some(3, 1)];
    expect(assembled()).toEqual(["13", "2", "13", "3", "3", "13", "1"]);
    // Without stored links, related sessions are found by the responses they share.
    change(store, "DELETE FROM link");
    expect(assembled()).toEqual(["1", "2", "13", "3", "3", "13", ""]);
  });

  it("leave out and name a file whose saved state is unreadable", async () => {
    const store = await threeSessions();
    change(
      store,
      `UPDATE read_state SET tail = '[null]' WHERE file = (SELECT id FROM file WHERE session_id = '${ID}2')`,
    );
    withIndex(store, (index) => {
      for (const assembly of [assembleAll(index, null), assembleSome(index, [key(1), key(2)], null)]) {
        expect(Object.keys(prompts(assembly))).toEqual(["1", "3"]);
        expect(assembly.diagnostics).toMatchObject([{ code: "file_unreadable", path: store.path(2) }]);
      }
    });
    // A sync then drops the whole session: half of it would look complete.
    change(store, `UPDATE file SET stale = 1 WHERE session_id = '${ID}2'`);
    store.append(turn(4));
    const { unreadable } = await store.sync();
    expect(unreadable).toMatchObject([{ code: "file_unreadable", path: store.path(2) }]);
    expect(unreadable[0]?.message).not.toContain("push");
    expect(unreadable[0]?.message).toContain("null");
    expect(await store.prompts()).toEqual(["question 1", "question 3", "question 4"]);
  });

  it("are refused if the index lacks slices of their saved state", async () => {
    const store = new Store();
    store.write(Array.from({ length: 20 }, (_, n) => turn(n + 1)).flat());
    await store.sync();
    change(store, "DELETE FROM state_slice");
    withIndex(store, (index) => {
      expect(() => assembleAll(index, null)).toThrow(
        expect.objectContaining({
          cause: expect.stringMatching(/^pieces of book\/\S+ are missing$/) as string,
        }) as Error,
      );
    });
  });

  it("mark a file that is gone as deleted", async () => {
    const store = await threeSessions();
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
  const unfinished = (words: string): string => lineOf(promptLine(words, 500)).trimEnd();

  it("count as one part if their saved states are equal, and as two otherwise", async () => {
    const lines = Array.from({ length: 20 }, (_, n) => turn(n + 1)).flat();
    expect(parts(await copies(lines, lines))).toBe(1);
    expect(parts(await copies(lines, [...lines.slice(0, -1), answerLine("answer 2O", 201)]))).toBe(2);
  });

  it("count as two if their unfinished last lines differ, unless only in the order of fields", async () => {
    const lines = turn(1);
    const end = unfinished("unfinished");
    expect(parts(await copies([...lines, end], [...lines, unfinished("not finished")]))).toBe(2);
    const store = await copies([...lines, end], [...lines, end]);
    expect(parts(store)).toBe(1);
    const tail = withIndex(store, (index) => index.get("SELECT max(file) AS file, tail FROM read_state"));
    const [entry = {}] = JSON.parse(String(tail?.["tail"])) as object[];
    const reordered = JSON.stringify([Object.fromEntries(Object.entries(entry).toReversed())]).replaceAll("'", "''");
    expect(reordered).not.toBe(tail?.["tail"]);
    change(store, `UPDATE read_state SET tail = '${reordered}' WHERE file = ${String(tail?.["file"])}`);
    expect(parts(store)).toBe(1);
  });
});

describe("a rewritten file", () => {
  const [first, second, third] = [turn(1), turn(2), turn(3)];

  it("has its new page indexed for search, and of the old page only the lines that were lost", async () => {
    const store = new Store();
    store.write([...first, ...second]);
    await store.sync();
    expect(indexedLines(store)).toEqual({ "": [1, 2, 3, 4] });
    store.write([...first, ...third]);
    await store.sync();
    expect(indexedLines(store)).toEqual({ "": [3, 4], ".g2": [1, 2, 3, 4] });
    expect(await store.prompts()).toEqual(["question 1", "question 2", "question 3"]);
    const parts = withIndex(store, (index) => assembleAll(index, null).sessions.flatMap((session) => session.parts));
    expect(new Set(parts.map((part) => part.gone))).toEqual(new Set([null, "rewritten"]));
    expect(parts.find((part) => part.gone === "rewritten")?.drift).toEqual({
      versions: {},
      unknownTypes: {},
      unknownFields: {},
    });
  });

  it("has only its new page indexed if no line was lost", async () => {
    const store = new Store();
    store.write(first);
    await store.sync();
    store.write([...third, ...first]);
    await store.sync();
    expect(indexedLines(store)).toEqual({ ".g2": [1, 2, 3, 4] });
    const parts = withIndex(store, (index) => assembleAll(index, null).sessions.flatMap((session) => session.parts));
    expect(parts.map((part) => part.gone)).toEqual([null]);
    expect(await store.prompts()).toEqual(["question 1", "question 3"]);
  });

  it("keeps lost lines on its old page though another file of the session repeats them now", async () => {
    const store = new Store();
    const other = store.path(1, "q");
    store.write([...first, ...second]);
    store.write(third, other);
    await store.sync();
    const [page = ""] = withIndex(store, (index) => index.files().filter(({ ref }) => ref.path === store.path())).map(
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

  it("is assembled for an answer without writing to the index", async () => {
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
