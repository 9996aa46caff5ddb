import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import type { SearchResult } from "../../src/index/search/search.ts";
import type { Daybook } from "../../src/answers/daybook.ts";
import { copyCorpus, open, scratch } from "./fixture.ts";

/** Rare and common words from all kinds of text: prompts, replies, commands, output, instructions. */
const QUERIES = ["the", "bash", "file", "echo", "error", '"do not"', "read*", "you are", "hello", "summary", "fix bug"];

async function resultsOf(daybook: Daybook, text: string, query: object = {}): Promise<SearchResult[]> {
  return daybook.search(text, { limit: 40, ...query });
}

describe("search without a book", () => {
  const { roots } = copyCorpus();
  const fromBook = open(roots, scratch("book"));
  const withoutBook = open(roots);

  it.each(QUERIES)("for %s finds the same as with a book", async (text) => {
    const expected = await resultsOf(fromBook, text);
    expect(expected.length).toBeGreaterThan(0);
    expect(await resultsOf(withoutBook, text)).toEqual(expected);
  });

  it("filters by kind, day, session, project and limit as with a book", async () => {
    const [first] = await resultsOf(fromBook, "the", { kinds: ["prompt"] });
    const day = first?.time?.slice(0, 10);
    for (const query of [
      { kinds: ["output"] },
      { kinds: ["instructions"] },
      { since: day, until: day },
      { session: first?.session_id },
      { project: first?.project },
      { limit: 3 },
    ]) {
      const expected = await resultsOf(fromBook, "the", query);
      expect([query, expected.length > 0]).toEqual([query, true]);
      expect(await resultsOf(withoutBook, "the", query)).toEqual(expected);
    }
  });
});

it("a temporary index has its data only in a file that is already deleted", () => {
  const before = new Set(openFiles());
  const store = IndexStore.unnamed();
  try {
    // More data than SQLite's page cache holds.
    store.get("PRAGMA cache_size = 10");
    store.transaction(() => {
      for (let i = 0; i < 500; i++)
        store.run("INSERT INTO kept_text (hash, text) VALUES (?, ?)", String(i), "x".repeat(9999));
    });
    const files = openFiles().filter((path) => path.startsWith("/") && !before.has(path));
    expect(files.filter((path) => !path.endsWith(" (deleted)"))).toEqual([]);
    if (existsSync(OPEN_FILES)) expect(files.length).toBeGreaterThan(0);
  } finally {
    store.close();
  }
});

/** On Linux, lists the open files of this process. */
const OPEN_FILES = "/proc/self/fd";

function openFiles(): string[] {
  if (!existsSync(OPEN_FILES)) return [];
  return readdirSync(OPEN_FILES).flatMap((fd) => {
    try {
      return [readlinkSync(join(OPEN_FILES, fd))];
    } catch {
      return [];
    }
  });
}
