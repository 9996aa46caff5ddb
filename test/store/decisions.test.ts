import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { record } from "../../src/agents/claude-code/testing.ts";
import type { Entry } from "../../src/agents/contract.ts";
import { readerVersion } from "../../src/stored-versions.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { scratch } from "./fixture.ts";
import {
  promptLine,
  at,
  broken,
  countsOf,
  ID,
  lineOf,
  LOAD,
  NOTHING,
  inSession,
  answerLine,
  Store,
  turn,
  WRITE,
} from "./small-store.ts";

// What a sync reads, reads again and keeps, according to its report. Must be quick: `npm run mutate` runs these tests.

describe("a sync", () => {
  it("reads new files, and only the appended part of grown ones", async () => {
    const store = new Store();
    store.write([...turn(1), ...turn(2)]);
    const first = await store.sync();
    expect(countsOf(first)).toEqual({ files_read: 1, entries: 4, sessions_refreshed: 1, gone: 0 });
    expect(first.bytes_read).toBeGreaterThanOrEqual(readFileSync(store.path()).length);
    expect(first.rows_written).toBeGreaterThan(3);
    const again = await store.sync();
    expect(countsOf(again)).toEqual(NOTHING);
    expect([again.files_seen, again.bytes_read, again.rows_written]).toEqual([1, 0, 0]);
    store.append(turn(3));
    expect(countsOf(await store.sync())).toEqual({ files_read: 1, entries: 2, sessions_refreshed: 1, gone: 0 });
    store.write(inSession(2, turn(4)), store.path(2));
    expect(countsOf(await store.sync())).toEqual({ files_read: 1, entries: 2, sessions_refreshed: 1, gone: 0 });
    expect(await store.prompts()).toEqual([1, 2, 3, 4].map((n) => `question ${n}`));
    expect(store.tables()).toEqual(await store.fromEmpty());
    expect(countsOf(await store.sync({ full: true }))).toEqual({
      files_read: 2,
      entries: 8,
      sessions_refreshed: 2,
      gone: 0,
    });
    expect(await store.prompts()).toHaveLength(4);
  });

  it("compares a file that did not grow from its start, and keeps what was lost from it", async () => {
    const store = new Store();
    const first = turn(1);
    store.write([...first, ...turn(2)]);
    await store.sync();
    utimesSync(store.path(), 5, 5);
    expect(countsOf(await store.sync())).toEqual({ files_read: 1, entries: 4, sessions_refreshed: 1, gone: 0 });
    expect(await store.prompts()).toEqual(["question 1", "question 2"]);
    store.write([...first, ...turn(2, "qestion 2!")]);
    await store.sync();
    expect(await store.prompts()).toEqual(["qestion 2!", "question 1", "question 2"]);
    expect([store.pages().length, store.responses()]).toEqual([2, 2]);
    store.write(turn(5));
    await store.sync();
    expect(await store.prompts()).toEqual(["qestion 2!", "question 1", "question 2", "question 5"]);
    expect([store.pages().length, store.responses()]).toEqual([3, 3]);
    // Longer than before, and with other content.
    store.write([...turn(6), ...turn(7), ...turn(8), ...turn(9)]);
    await store.sync();
    expect(await store.prompts()).toHaveLength(8);
    expect(countsOf(await store.sync())).toEqual(NOTHING);
  });

  it("recognises a moved file, and one that only has the name of another", async () => {
    const store = new Store();
    store.write([...turn(1), ...turn(2)]);
    await store.sync();
    mkdirSync(join(store.dir, "q"));
    renameSync(store.path(), store.path(1, "q"));
    expect(countsOf(await store.sync())).toEqual({ files_read: 1, entries: 0, sessions_refreshed: 1, gone: 0 });
    expect(await store.prompts()).toEqual(["question 1", "question 2"]);
    expect(store.tables()["file"]).toHaveLength(1);
    // The moved file may grow, and another file may take its old path: the page moved with the file.
    store.append(turn(4), store.path(1, "q"));
    renameSync(store.path(1, "q"), store.path(1));
    expect(countsOf(await store.sync())).toEqual({ files_read: 1, entries: 2, sessions_refreshed: 1, gone: 0 });
    expect(store.assembled).toBe("1");
    renameSync(store.path(), store.path(1, "q"));
    await store.sync();
    store.write(inSession(2, turn(5)));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2, gone: 0 });
    const pages = store.pages();
    expect(
      pages.map((page) => page.replace(/-[0-9a-f]{10}(?=-2$|$)/, "-#").replace(/\/[0-9a-f]{2}\//, "/#/")).toSorted(),
    ).toEqual([`book/claude-code/#/${ID}1-#`, `book/claude-code/#/${ID}1-#-2`]);
    rmSync(store.path());
    rmSync(store.path(1, "q"));
    store.write(turn(3), store.path(1, "r"));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2 });
    expect(await store.prompts()).toEqual([1, 2, 3, 4, 5].map((n) => `question ${n}`));
  });

  it("reports a deleted file once, and recognises it when it is restored", async () => {
    const store = new Store();
    store.write(turn(1));
    store.write(inSession(2, turn(2)), store.path(2));
    await store.sync();
    const stored = readFileSync(store.path());
    rmSync(store.path());
    expect(countsOf(await store.sync())).toEqual({ ...NOTHING, gone: 1 });
    expect(countsOf(await store.sync())).toEqual(NOTHING);
    expect(await store.prompts()).toEqual(["question 1", "question 2"]);
    writeFileSync(store.path(), stored);
    expect(await store.sync()).toMatchObject({ files_read: 1, gone: 0 });
    store.append(turn(3));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2, gone: 0 });
    expect(await store.prompts()).toEqual(["question 1", "question 2", "question 3"]);
    // Files that were not looked for do not count as gone.
    expect(countsOf(await store.sync({ roots: { codex: [store.dir] } }))).toEqual(NOTHING);
    expect(countsOf(await store.sync({ roots: { "claude-code": [scratch("elsewhere")] } }))).toEqual(NOTHING);
  });

  it("reads an incomplete last line again once it is complete", async () => {
    const store = new Store();
    const [question, answer] = turn(2).map(lineOf);
    store.write([...turn(1), (question ?? "").slice(0, 40)]);
    await store.sync();
    expect(await store.prompts()).toEqual(["question 1"]);
    store.append([(question ?? "").slice(40), answer ?? ""]);
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2 });
    expect(await store.prompts()).toEqual(["question 1", "question 2"]);
    expect(store.tables()).toEqual(await store.fromEmpty());
    // A complete record without a line break may still be continued.
    store.append([lineOf(promptLine("question 3", 30)).trimEnd()]);
    await store.sync();
    expect(await store.prompts()).toHaveLength(3);
    store.append(["\n", answerLine("answer 3", 31)]);
    await store.sync();
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("assembles sessions that share records or responses together, and again when one grows", async () => {
    const store = new Store();
    const inherited = turn(1);
    store.write([...inherited, ...turn(2)]);
    store.write(inSession(2, [...inherited, promptLine("other 2", 25), answerLine("other answer", 26)]), store.path(2));
    store.write(inSession(3, turn(4)), store.path(3));
    expect(await store.sync()).toMatchObject({ files_read: 3, sessions_refreshed: 3 });
    // The rows of the third were made while it was read.
    expect(store.assembled).toBe("12");
    store.append(inSession(2, turn(3)), store.path(2));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2, sessions_refreshed: 2 });
    expect(store.assembled).toBe("12");
    expect(await store.prompts()).toEqual(["other 2", "question 1", "question 2", "question 3", "question 4"]);
    // A response that another session has too.
    store.append(inSession(3, [answerLine("once more", 50, "m11")]), store.path(3));
    await store.sync();
    expect(store.assembled).toBe("312");
    store.append(inSession(3, [answerLine("and again", 51, "m26")]), store.path(3));
    await store.sync();
    expect(store.assembled).toBe("123");
    const tables = store.tables();
    expect({ ...tables, link: 0 }).toEqual({ ...(await store.fromEmpty()), link: 0 });
  });
});

describe("a sync of several files", () => {
  it("updates each grown session incrementally, and assembles whole only those that share a response", async () => {
    const store = new Store();
    const sessions = Array.from({ length: 34 }, (_, n) => n + 10);
    for (const n of sessions)
      store.write(inSession(n, [promptLine(`a ${n}`, n), answerLine("b", n, `m${n}`)]), store.path(n));
    const first = await store.sync();
    expect(countsOf(first)).toEqual({ files_read: 34, entries: 68, sessions_refreshed: 34, gone: 0 });
    expect(store.assembled).toBe("");
    for (const n of sessions) store.append(inSession(n, [answerLine("c", n, `n${n}`)]), store.path(n));
    const grown = await store.sync();
    expect(countsOf(grown)).toEqual({ files_read: 34, entries: 34, sessions_refreshed: 34, gone: 0 });
    // At least the rows of each file, text, response, turn and session.
    expect(grown.rows_written).toBeGreaterThan(34 * 4);
    expect(store.assembled).toBe("");
    expect(store.tables()).toEqual(await store.fromEmpty());
    // The last file that is read shares a response with the first.
    for (const n of sessions)
      store.append(inSession(n, [answerLine("d", n, n === 10 ? "m43" : `o${n}`)]), store.path(n));
    expect(countsOf(await store.sync())).toEqual({ files_read: 34, entries: 34, sessions_refreshed: 35, gone: 0 });
    expect(store.assembled).toBe("03");
    expect({ ...store.tables(), link: 0 }).toEqual({ ...(await store.fromEmpty()), link: 0 });
  });

  it("assembles two sessions together when one comes to repeat a record of the other", async () => {
    const store = new Store();
    const first = turn(1);
    store.write(first);
    store.write(inSession(2, turn(2)), store.path(2));
    await store.sync();
    store.append(inSession(2, first.slice(0, 1)), store.path(2));
    await store.sync();
    expect(store.assembled).toBe("12");
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("assembles files of one session into one, and keeps the turns of a deleted one", async () => {
    const store = new Store();
    store.write([...turn(1), ...turn(2)]);
    store.write(turn(3), store.path(1, "q"));
    expect(countsOf(await store.sync())).toEqual({ files_read: 2, entries: 6, sessions_refreshed: 1, gone: 0 });
    expect(store.assembled).toBe("1");
    store.append(turn(4), store.path(1, "q"));
    expect(countsOf(await store.sync())).toEqual({ files_read: 1, entries: 2, sessions_refreshed: 1, gone: 0 });
    expect(store.assembled).toBe("1");
    expect(store.tables()).toEqual(await store.fromEmpty());
    expect(await store.prompts()).toHaveLength(4);
    rmSync(store.path(1, "q"));
    expect(countsOf(await store.sync())).toEqual({ ...NOTHING, gone: 1 });
    store.append(turn(5));
    await store.sync();
    expect(await store.prompts()).toHaveLength(5);
  });
});

describe("an error while one session is assembled", () => {
  it("is reported for its file only, and the session is tried again with the next change", async () => {
    const store = new Store();
    store.write(turn(1));
    store.write(inSession(2, turn(2)), store.path(2));
    broken.at = { pattern: WRITE, session: 2, error: new Error("broken") };
    const report = await store.sync();
    expect(report.unreadable).toMatchObject([{ code: "file_unreadable", source: "claude-code", path: store.path(2) }]);
    expect(report.unreadable[0]?.message).toContain("broken");
    broken.at = null;
    expect(await store.prompts()).toEqual(["question 1"]);
    const [one, other] = (store.tables()["file"] ?? []).map(
      (row) => JSON.parse(row) as { stale: number; problems: string },
    );
    expect([one?.stale, other?.stale, one?.problems]).toEqual([0, 1, "[]"]);
    expect(JSON.parse(other?.problems ?? "")).toEqual(report.unreadable);
    store.append(turn(3));
    expect(await store.sync()).toMatchObject({ files_read: 1, unreadable: [] });
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("removes the rows of the session until it can be assembled again", async () => {
    const store = new Store();
    store.write(turn(1));
    store.write(inSession(2, turn(2)), store.path(2));
    await store.sync();
    store.append(
      inSession(2, [
        record("cost-state", { modelUsage: { m: { outputTokens: 99 } }, startTime: 1, ...(at(30) as object) }),
      ]),
      store.path(2),
    );
    broken.at = { pattern: LOAD, session: 2, error: new Error("broken") };
    expect((await store.sync()).unreadable).toHaveLength(1);
    broken.at = null;
    expect(await store.prompts()).toEqual(["question 1"]);
    store.append(inSession(2, turn(3)), store.path(2));
    expect((await store.sync()).unreadable).toEqual([]);
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("makes the sync fail if the disk is full", async () => {
    const store = new Store();
    store.write(turn(1));
    broken.at = { pattern: WRITE, session: 1, error: Object.assign(new Error("no room"), { code: "ENOSPC" }) };
    await expect(store.sync()).rejects.toThrow("no room");
    broken.at = null;
    await store.sync();
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("during an incremental update causes the session to be assembled whole", async () => {
    const store = new Store();
    store.write(turn(1));
    await store.sync();
    store.append(turn(2));
    broken.at = { pattern: /^SELECT records, view\b.* FROM turn/, session: 1, error: new Error("broken") };
    expect(await store.sync()).toMatchObject({ files_read: 1, sessions_refreshed: 1, unreadable: [] });
    expect(store.assembled).toBe("1");
    broken.at = null;
    expect(store.tables()).toEqual(await store.fromEmpty());
  });
});

describe("an index", () => {
  it("that is older than its pages is brought up to date", async () => {
    const store = new Store();
    store.write(turn(1));
    await store.sync();
    const stored = scratch("decisions-kept");
    cpSync(store.home, stored, { recursive: true });
    store.append(turn(2));
    await store.sync();
    IndexStore.release(store.home);
    for (const name of ["index.db", "index.db-wal", "index.db-shm", "index.seal"]) {
      rmSync(join(store.home, name), { force: true });
      cpSync(join(stored, name), join(store.home, name), { force: true, errorOnExist: false, recursive: true });
    }
    store.append(turn(3));
    expect(await store.sync()).toMatchObject({ files_read: 1 });
    expect(await store.prompts()).toEqual(["question 1", "question 2", "question 3"]);
  });

  it("is rebuilt from the book by sync({ repair: true }), and when it is no database", async () => {
    const store = new Store();
    store.write(turn(1));
    store.write(inSession(2, turn(2)), store.path(2));
    await store.sync();
    expect(await store.sync({ verify: true })).toMatchObject({ files_read: 0, pages_rebuilt: 0, damaged: [] });
    const rebuilt = await store.sync({ repair: true });
    expect(rebuilt).toMatchObject({ files_read: 0, pages_rebuilt: 2, damaged: [] });
    expect(rebuilt.rows_written).toBeGreaterThan(4);
    expect(store.notes).toEqual([]);
    expect(await store.prompts()).toEqual(["question 1", "question 2"]);
    IndexStore.release(store.home);
    writeFileSync(join(store.home, "index.db"), "nothing of the kind");
    expect(await store.sync()).toMatchObject({ files_read: 0, pages_rebuilt: 2 });
    expect(store.notes).toEqual(["the index was damaged; made again from the book (2 pages)"]);
    // The rebuilt index continues with appended lines.
    store.append(turn(3));
    expect(await store.sync()).toMatchObject({ files_read: 1 });
    expect(await store.prompts()).toHaveLength(3);
  });
});

describe("a session in one JSON document", () => {
  type Message = { id: string; type: string; content: string; timestamp: string };
  const message = (n: number, content: string, type = n % 2 === 1 ? "user" : "gemini"): Message => ({
    id: `00000000-0000-4000-8000-00000000000${n}`,
    type,
    content,
    timestamp: `2026-11-15T11:31:5${n}.000Z`,
  });
  const path = (store: Store): string =>
    join(store.dir, "tmp", "3".repeat(64), "chats", "session-2026-11-15T11-31-dffa2bd5.json");
  let saved = 0;
  const save = (store: Store, messages: readonly Message[]): void => {
    const sessionId = "dffa2bd5-0991-4422-98a3-79c56a47194c";
    const [startTime, lastUpdated] = ["2026-11-15T11:31:50.223Z", "2026-11-15T11:32:05.200Z"];
    store.write([{ sessionId, projectHash: "3".repeat(64), startTime, lastUpdated, messages }], path(store));
    utimesSync(path(store), ++saved, saved);
  };
  const begin = [message(1, "first question"), message(2, "an answer")];

  it("is continued with new messages, and has changed messages replaced", async () => {
    const store = new Store("gemini");
    save(store, begin);
    await store.sync();
    expect(await store.prompts()).toEqual(["first question"]);
    save(store, [...begin, message(3, "second question"), message(4, "another answer")]);
    expect(await store.sync()).toMatchObject({ files_read: 1, sessions_refreshed: 1 });
    expect(await store.prompts()).toEqual(["first question", "second question"]);
    expect(store.tables()).toEqual(await store.fromEmpty());
    save(store, [
      message(1, "first question, better"),
      ...begin.slice(1),
      message(3, "second question"),
      message(4, "a longer answer"),
    ]);
    await store.sync();
    expect(await store.prompts()).toEqual(["first question, better", "second question"]);
    expect(store.pages()).toHaveLength(1);
    const { doc: _, ...tables } = store.tables();
    const { doc: __, ...fresh } = await store.fromEmpty();
    expect(tables).toEqual(fresh);
  });

  it("gets a new page if all its messages are other ones, and keeps the lost prompts", async () => {
    const store = new Store("gemini");
    save(store, [...begin, message(3, "second question")]);
    await store.sync();
    save(store, [message(5, "another question"), message(6, "an answer")]);
    await store.sync();
    expect(await store.prompts()).toEqual(["another question", "first question", "second question"]);
    expect(
      store
        .pages()
        .map((page) => /\.g\d$/.exec(page)?.[0] ?? "")
        .toSorted(),
    ).toEqual(["", ".g2"]);
    save(store, [message(5, "another question"), message(6, "an answer"), message(7, "one more")]);
    await store.sync();
    expect(await store.prompts()).toHaveLength(4);
    expect(store.pages()).toHaveLength(2);
  });

  it("keeps the prompts of messages that were removed", async () => {
    const store = new Store("gemini");
    save(store, [...begin, message(3, "second question")]);
    await store.sync();
    save(store, begin);
    await store.sync();
    expect(await store.prompts()).toEqual(["first question", "second question"]);
    expect(countsOf(await store.sync())).toEqual(NOTHING);
  });
});

describe("a page", () => {
  const mistaken = (entry: Entry): Entry =>
    entry.class === "trigger" && entry.line === 1 ? { ...entry, class: "setup", records: [] } : entry;

  it("of an older reader is replaced while the file still has its records, and its mistakes are corrected", async () => {
    const store = new Store();
    store.write([...turn(1), ...turn(2)]);
    await store.sync();
    store.rewriteAs(readerVersion("claude-code") - 1, mistaken);
    expect(await store.sync({ repair: true })).toMatchObject({ files_read: 1, entries: 4, pages_rebuilt: 1 });
    expect(await store.prompts()).toEqual(["question 1", "question 2"]);
    expect(store.tables()).toEqual(await store.fromEmpty());
    // The file may have grown since.
    store.rewriteAs(readerVersion("claude-code") - 1, mistaken);
    store.append(turn(3));
    expect(await store.sync({ repair: true })).toMatchObject({ files_read: 1, entries: 6 });
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("of an older reader stays beside a new page if the file has other content now", async () => {
    for (const lines of [[...turn(1, "another"), ...turn(4)], turn(1)]) {
      const store = new Store();
      store.write([...turn(1), ...turn(2)]);
      await store.sync();
      store.rewriteAs(readerVersion("claude-code") - 1, (entry) => entry);
      store.write(lines);
      await store.sync({ repair: true });
      expect(await store.prompts()).toEqual(expect.arrayContaining(["question 1", "question 2"]));
      expect(store.pages()).toHaveLength(2);
    }
  });

  it("of the current reader is compared with its file, and then continued", async () => {
    const store = new Store();
    store.write(turn(1));
    await store.sync();
    store.rewriteAs(readerVersion("claude-code"), (entry) => entry);
    expect(await store.sync({ repair: true })).toMatchObject({ files_read: 0, pages_rebuilt: 1 });
    store.append(turn(2));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 4 });
    store.append(turn(3));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2 });
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("that is damaged is not changed, and the file is read onto a new page", async () => {
    const store = new Store();
    store.write([...turn(1), ...turn(2)]);
    await store.sync();
    const ledger = `${join(store.home, store.pages()[0] ?? "")}.ledger.jsonl`;
    const rows = readFileSync(ledger, "utf8").split("\n");
    writeFileSync(
      ledger,
      rows
        .with(
          2,
          (rows[2] ?? "").replace(/\d(?=\]$)/, (digit) => String((Number(digit) + 1) % 10)),
        )
        .join("\n"),
    );
    const damaged = readFileSync(ledger, "utf8");
    store.append(turn(3));
    await store.sync();
    expect(readFileSync(ledger, "utf8")).toBe(damaged);
    expect(
      store
        .pages()
        .map((page) => /\.g\d$/.exec(page)?.[0] ?? "")
        .toSorted(),
    ).toEqual(["", ".g2"]);
    expect(await store.prompts()).toEqual(["question 1", "question 2", "question 3"]);
    expect((await store.sync({ verify: true })).damaged).toHaveLength(1);
  });

  it("of a large file is compressed, and can be continued", async () => {
    const store = new Store();
    const words = "many words ".repeat(4000);
    store.write([...turn(1), ...Array.from({ length: 8 }, (_, n) => answerLine(`${words}${n}`, 100 + n))]);
    await store.sync();
    expect(existsSync(`${join(store.home, store.pages()[0] ?? "")}.jsonl.frames`)).toBe(true);
    store.append(turn(2));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2 });
    expect(store.tables()).toEqual(await store.fromEmpty());
  });
});
