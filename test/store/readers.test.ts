import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answers, copyCorpus, differences, open, scratch, syncBook } from "./fixture.ts";

/** Changes a book as if an older reader had written it, which misclassified prompts, and took answers for prompts. */
function makeOlder(book: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(book, `index.db${suffix}`), { force: true });
  const ledgers = readdirSync(join(book, "book"), { recursive: true, encoding: "utf8" });
  for (const name of ledgers.filter((each) => each.endsWith(".ledger.jsonl"))) {
    const path = join(book, "book", name);
    const text = readFileSync(path, "utf8");
    expect(text).toMatch(/"reader":\d/);
    const misread = text.replaceAll('["trigger"', '["session"').replaceAll('["reaction"', '["trigger"');
    const lines = misread.replaceAll(/"reader":\d+,/g, "").split("\n");
    writeFileSync(path, lines.map(withId).join("\n"));
  }
}

/** Adds an id to rows without one, as if the older reader had assigned ids there. */
function withId(row: string): string {
  return row.startsWith("[") ? row.replace(/^(\[\d+,(\d+),.*),null,(\d+)\]$/, '$1,"old:$2",$3]') : row;
}

// Files of lines, lines that repeat other files, records without ids, rows of databases.
const SOURCES = ["codex-0.166.0", "claude-2.1.325", "codex-0.63.0", "opencode-1.18.33", "goose-1.34.0"];

describe("a book written by an older reader", () => {
  it.each(SOURCES)("is corrected by the next sync if the session files still exist: %s", async (label) => {
    const { roots } = copyCorpus([label]);
    const book = scratch("book");
    const before = await answers(open(roots, book));
    makeOlder(book);
    const first = await syncBook(roots, book);
    expect(first.files_read).toBe(first.files_seen);
    const after = await answers(open(roots, book));
    expect(differences(before, after)).toEqual([]);
    expect(differences(await answers(open(roots)), after)).toEqual([]);
    expect((await syncBook(roots, book)).files_read).toBe(0);
    // Without the index: the pages themselves are corrected.
    rmSync(join(book, "index.db"));
    expect(differences(before, await answers(open(roots, book, { noSync: true })))).toEqual([]);
  });

  it("stays as it is if the session files are gone", async () => {
    const { dir, roots } = copyCorpus(["pi-0.87.1"]);
    const book = scratch("book");
    const before = await open(roots, book).sessions();
    makeOlder(book);
    rmSync(dir, { recursive: true });
    const after = await open(roots, book).sessions();
    expect(after.map((session) => session.session_id)).toEqual(before.map((session) => session.session_id));
    expect(after.map((session) => session.turns)).not.toEqual(before.map((session) => session.turns));
  });
});
