import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { objectWithChecksum } from "../../src/book/pages/checksum.ts";
import { ANEW, PAGE_FORMAT, type PageHead } from "../../src/book/pages/page-format.ts";
import { readerVersion } from "../../src/stored-versions.ts";
import { ENTRY_CHANGES } from "../../src/index/sync/testing.ts";
import { promptLine, ID, lineOf, inSession, answerLine, Store, turn, type Line } from "./small-store.ts";

// Whether a page is continued, compared, replaced or left beside a new one. Must be quick: `npm run mutate` runs these
// tests.

const base = (store: Store): string => join(store.home, store.pages()[0] ?? "");
const generations = (store: Store): string[] =>
  store
    .pages()
    .map((page) => /\.g\d$/.exec(page)?.[0] ?? "")
    .toSorted();
const filesBelow = (store: Store): string[] =>
  readdirSync(join(store.home, "book"), { recursive: true, encoding: "utf8" });

async function synced(lines: readonly Line[] = [...turn(1), ...turn(2)]): Promise<Store> {
  const store = new Store();
  store.write(lines);
  await store.sync();
  return store;
}

describe("a file gets a new page", () => {
  it.each(ENTRY_CHANGES)("if a record on its page differs in its %s", async (_, change) => {
    const store = await synced();
    store.rewriteAs(readerVersion("claude-code"), (entry) => (entry.line === 3 ? change(entry) : entry));
    await store.sync({ repair: true });
    store.append(turn(3));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 6 });
    expect(generations(store)).toEqual(["", ".g2"]);
  });

  it("if the records on its page have other line numbers", async () => {
    const store = await synced();
    store.rewriteAs(readerVersion("claude-code"), (entry) => ({ ...entry, line: entry.line + 1 }));
    await store.sync({ repair: true });
    store.append(turn(3));
    await store.sync();
    expect(generations(store)).toEqual(["", ".g2"]);
  });

  it("if an older reader's page has a record with another time or at another place", async () => {
    const first = turn(1);
    for (const lines of [
      [...first, ...turn(3, "question 2")],
      [answerLine("an answer", 5), ...first],
    ]) {
      const store = await synced([...first, ...turn(2)]);
      store.rewriteAs(readerVersion("claude-code") - 1, (entry) => entry);
      // Left by a crash during an earlier attempt.
      for (const name of [".jsonl", ".ledger.jsonl"]) cpSync(`${base(store)}${name}`, `${base(store)}${ANEW}${name}`);
      store.write(lines);
      await store.sync({ repair: true });
      expect(generations(store)).toEqual(["", ".g2"]);
      expect(await store.prompts()).toContain("question 2");
      expect(filesBelow(store).filter((name) => name.includes(ANEW))).toEqual([]);
    }
  });
});

it("a page of an older reader is replaced, despite files a crash left of an earlier attempt", async () => {
  const store = await synced();
  store.rewriteAs(readerVersion("claude-code") - 1, (entry) => ({ ...entry, reason: "mistaken" }));
  for (const name of [".jsonl", ".ledger.jsonl"]) cpSync(`${base(store)}${name}`, `${base(store)}${ANEW}${name}`);
  await store.sync({ repair: true });
  expect(generations(store)).toEqual([""]);
  expect(filesBelow(store).filter((name) => name.includes(ANEW))).toEqual([]);
  expect(readFileSync(`${base(store)}.ledger.jsonl`, "utf8")).not.toContain("mistaken");
  expect(store.tables()).toEqual(await store.fromEmpty());
});

it("a page of a later version is not changed, and its file is reported as unreadable", async () => {
  const store = await synced();
  const ledger = `${base(store)}.ledger.jsonl`;
  const { page } = JSON.parse(readFileSync(ledger, "utf8").split("\n")[0] ?? "") as { page: PageHead };
  appendFileSync(ledger, objectWithChecksum({ page: { ...page, format: PAGE_FORMAT + 1 } }));
  const before = readFileSync(ledger);
  store.append(turn(3));
  const { files_read, unreadable } = await store.sync();
  expect([files_read, unreadable.map(({ path, message }) => [path, message])]).toEqual([
    0,
    [[store.path(), "this page of the book was written by a later version"]],
  ]);
  expect(readFileSync(ledger)).toEqual(before);
  expect(filesBelow(store).filter((name) => name.includes(".g2"))).toEqual([]);
});

it("a small page is not compressed", async () => {
  const store = await synced();
  expect(existsSync(`${base(store)}.jsonl.frames`)).toBe(false);
  const [line = ""] = readFileSync(`${base(store)}.jsonl`, "utf8").split("\n");
  expect(JSON.parse(line)).toMatchObject({ seq: 0 });
});

it("a file replaced by a longer one with the same beginning is read from its start", async () => {
  const store = await synced();
  writeFileSync(`${store.path()}.new`, `${readFileSync(store.path(), "utf8")}${turn(3).map(lineOf).join("")}`);
  renameSync(`${store.path()}.new`, store.path());
  expect(await store.sync()).toMatchObject({ files_read: 1, entries: 6 });
  expect(generations(store)).toEqual([""]);
  expect(store.tables()).toEqual(await store.fromEmpty());
});

it("an incomplete last line is not reported as a problem", async () => {
  const store = await synced([...turn(1), lineOf(promptLine("question 2", 20)).slice(0, 40)]);
  expect(store.tables()["file"]?.map((row) => (JSON.parse(row) as { problems: string }).problems)).toEqual(["[]"]);
});

it("pages are named after their files, in at most 80 plain characters", async () => {
  const store = new Store();
  const names = ["a b+ü.jsonl", "a.jsonl.b.jsonl", `${"x".repeat(90)}.jsonl`];
  for (const [n, name] of names.entries()) store.write(inSession(n + 1, turn(n + 1)), join(store.dir, "p", name));
  await store.sync();
  const pages = store.pages().map((page) => /\/([^/]+)-[0-9a-f]{10}$/.exec(page)?.[1] ?? "");
  expect(pages.toSorted()).toEqual(["a.jsonl.b", "a_b_", "x".repeat(80)]);
});

it("two files with the same name get separate pages", async () => {
  const store = new Store();
  store.write([...turn(1)]);
  store.write(inSession(1, turn(2)), store.path(1, "q"));
  const { bytes_read } = await store.sync();
  expect(new Set(store.pages()).size).toBe(2);
  expect(store.pages().every((page) => page.includes(`${ID}1-`))).toBe(true);
  expect(bytes_read).toBeGreaterThan(0);
  utimesSync(store.path(), 7, 7);
  expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2 });
});
