import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { READERS, readerVersion } from "../../src/stored-versions.ts";
import { PageWriter, removePage } from "../../src/book/pages/page.ts";
import { readPage } from "../../src/book/pages/page-reader.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { answers, copyCorpus, open, scratch, syncBook, type Roots } from "./fixture.ts";
import { tablesOf, type Tables } from "./tables.ts";

const raised: { version: number }[] = [];

/** As if a rule of this source had changed since. */
function raise(source: string): void {
  const reader = READERS[source] as { version: number };
  reader.version++;
  raised.push(reader);
}

afterEach(() => {
  for (const reader of raised.splice(0)) reader.version--;
});

interface Home {
  roots: Roots;
  book: string;
  dir: string;
}

async function homeOf(...labels: string[]): Promise<Home> {
  const book = scratch("versions");
  const { roots, dir } = copyCorpus(labels);
  await syncBook(roots, book);
  return { roots, book, dir };
}

/** A page of a file as read with others gets another name when it is written anew. */
function tables(book: string): Tables {
  const all = Object.entries(tablesOf(book));
  return Object.fromEntries(
    all.map(([name, rows]) => [name, rows.map((row) => row.replaceAll(/\.own\.g\d+/g, ".own"))]),
  );
}

/** The reader versions that the pages of a source name, each once. */
function readersOf(book: string, source: string): unknown[] {
  const names = readdirSync(join(book, "book", source), { recursive: true, encoding: "utf8" });
  const bases = names
    .filter((name) => name.endsWith(".ledger.jsonl"))
    .map((name) => join(book, "book", source, name.replace(/\.ledger\.jsonl$/, "")));
  return [...new Set(bases.map((base) => readPage(base).state.commit.seen?.reader))];
}

/** Rewrites all pages of a source as a version that names its reader by this number would have. */
function rewriteAs(book: string, source: string, reader: number | null, reason: string): void {
  const names = readdirSync(join(book, "book", source), { recursive: true, encoding: "utf8" });
  for (const name of names.filter((one) => one.endsWith(".ledger.jsonl"))) {
    const base = join(book, "book", source, name.replace(/\.ledger\.jsonl$/, ""));
    const { head, commit } = readPage(base).state;
    const entries = [...readPage(base).entries()];
    if (!head || !commit.seen) throw new Error("incomplete page");
    const { reader: _, ...seen } = commit.seen;
    removePage(base);
    const writer = new PageWriter(base, head, false);
    for (const entry of entries) writer.add({ ...entry, reason });
    writer.commit(commit, { seen: reader === null ? seen : { ...seen, reader } });
    writer.close();
  }
  IndexStore.discard(book);
}

it("a raised version has the files of its source read again, no other file and no page", async () => {
  const { roots, book } = await homeOf("codex-0.166.0", "pi-0.87.1", "gemini-0.61.0");
  const before = tables(book);
  for (const source of ["pi", "gemini", "codex"]) {
    const files = before["file"]?.filter((row) => row.includes(`"source":"${source}"`)).length ?? 0;
    expect(files).toBeGreaterThan(0);
    raise(source);
    expect(await syncBook(roots, book)).toMatchObject({ files_read: files, pages_rebuilt: 0 });
    expect(readersOf(book, source)).toEqual([readerVersion(source)]);
    expect(await syncBook(roots, book)).toMatchObject({ files_read: 0, rows_written: 0 });
  }
  const fresh = scratch("versions");
  await syncBook(roots, fresh);
  expect(tables(book)).toEqual(tables(fresh));
  expect({ ...tables(book), file: [] }).toEqual({ ...before, file: [] });
});

it("a question does the same as a sync", async () => {
  const { roots, book } = await homeOf("codex-0.166.0", "pi-0.87.1");
  raise("pi");
  const daybook = open(roots, book);
  await daybook.sessions();
  daybook.close();
  expect(readersOf(book, "pi")).toEqual([readerVersion("pi")]);
  expect(await syncBook(roots, book)).toMatchObject({ files_read: 0 });
});

it("pages whose files are gone stay as they are, and answer", async () => {
  const { roots, book, dir } = await homeOf("pi-0.87.1");
  const ask = async (): Promise<Record<string, unknown>> => {
    const daybook = open(roots, book);
    const found = await answers(daybook);
    daybook.close();
    return found;
  };
  rmSync(dir, { recursive: true });
  await syncBook(roots, book);
  const before = await ask();
  raise("pi");
  expect(await syncBook(roots, book)).toMatchObject({ files_read: 0, pages_rebuilt: 0 });
  expect(await ask()).toEqual(before);
  expect(readersOf(book, "pi")).toEqual([readerVersion("pi") - 1]);
});

it("pages of the versions that all sources shared, and of the first, which named none, are read again", async () => {
  const { roots, book } = await homeOf("pi-0.87.1", "qwen-0.24.4");
  const before = tables(book);
  for (const reader of [15, null]) {
    rewriteAs(book, "pi", reader, "mistaken");
    const { files_read } = await syncBook(roots, book);
    expect(files_read).toBe(before["file"]?.filter((row) => row.includes('"source":"pi"')).length);
    expect(readersOf(book, "pi")).toEqual([readerVersion("pi")]);
    expect(tables(book)).toEqual(before);
  }
});

it("notes of another version of a source are not used", async () => {
  const { roots, book } = await homeOf("opencode-1.18.33");
  const notes = (): number => {
    const store = IndexStore.openExisting(book);
    const row = store?.get("SELECT min(reader) AS reader FROM note");
    store?.close();
    return Number(row?.["reader"]);
  };
  expect(notes()).toBe(readerVersion("opencode"));
  raise("opencode");
  await syncBook(roots, book);
  expect(notes()).toBe(readerVersion("opencode"));
});
