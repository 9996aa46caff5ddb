import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isCompared, NIGHTLY } from "../nightly.ts";
import { answers, copyCorpus, differences, LABELS, open, scratch, syncBook, withoutExcerpts } from "./fixture.ts";

/** Nightly, all versions of every agent. */
const ONE_OF_EACH = [
  "claude-2.1.325",
  "codex-0.166.0",
  "copilot-1.0.102",
  "gemini-0.61.0",
  "goose-1.52.0",
  "opencode-1.18.33",
  "pi-0.87.1",
  "qwen-0.24.4",
];

it("the index gives the same answers as the files, for all sources together", async () => {
  const { roots } = copyCorpus(NIGHTLY ? LABELS : ONE_OF_EACH);
  const direct = await answers(open(roots));
  const indexed = await answers(open(roots, scratch("book")));
  expect(differences(direct, indexed)).toEqual([]);
});

describe("when the agents' files are gone", () => {
  // All stages are in one test, so that the corpus is read only once.
  it.each(LABELS)(
    "every answer stays the same, also after the index is deleted and rebuilt from the book: %s",
    async (label) => {
      const { dir, roots } = copyCorpus([label]);
      const book = scratch("book");
      const direct = await answers(open(roots));
      const indexed = await answers(open(roots, book));
      const different = differences(direct, indexed);
      for (const key of different) expect({ [key]: indexed[key] }).toEqual({ [key]: direct[key] });
      const before = withoutExcerpts(indexed);
      rmSync(dir, { recursive: true });
      if (isCompared(LABELS.indexOf(label), false))
        expect(differences(before, withoutExcerpts(await answers(open(roots, book))))).toEqual([]);
      for (const suffix of ["", "-wal", "-shm"]) rmSync(join(book, `index.db${suffix}`), { force: true });
      expect(differences(before, withoutExcerpts(await answers(open(roots, book))))).toEqual([]);
    },
  );

  it("doctor lists every session as being only in the book", async () => {
    const { dir, roots } = copyCorpus(["codex-0.166.0"]);
    const book = scratch("book");
    await syncBook(roots, book);
    rmSync(dir, { recursive: true });
    const [health] = (await open(roots, book).doctor()).sources;
    expect(health?.sessions).toBeGreaterThan(0);
    expect(health?.only_in_book.length).toBe(health?.sessions);
  });
});

describe("an unusable index", () => {
  it.each([
    ["garbage", (path: string) => writeFileSync(path, "this is no database".repeat(500))],
    ["empty", (path: string) => writeFileSync(path, "")],
    [
      "a directory",
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])("is rebuilt from the book without reading session files: %s", async (_, spoil) => {
    const { roots } = copyCorpus(["codex-0.130.0", "opencode-1.18.33"]);
    const book = scratch("book");
    const before = await answers(open(roots, book));
    for (const suffix of ["-wal", "-shm"]) rmSync(join(book, `index.db${suffix}`), { force: true });
    spoil(join(book, "index.db"));
    expect(differences(before, await answers(open(roots, book)))).toEqual([]);
    const { bytes_read, files_read } = await syncBook(roots, book);
    expect({ bytes_read, files_read }).toEqual({ bytes_read: 0, files_read: 0 });
  });

  it("is rebuilt with noSync, by sync({ repair: true }), and in a home that was moved", async () => {
    const { dir, roots } = copyCorpus(["claude-2.1.325"]);
    const book = scratch("book");
    const before = await answers(open(roots, book));
    rmSync(join(book, "index.db"));
    expect(differences(before, await answers(open(roots, book, { noSync: true })))).toEqual([]);
    const repaired = await open(roots, book).sync({ repair: true });
    expect(repaired.pages_rebuilt).toBeGreaterThan(0);
    expect(repaired.bytes_read).toBe(0);
    expect(differences(before, await answers(open(roots, book)))).toEqual([]);
    // The home may be moved: nothing in it contains its own path.
    const moved = join(scratch("moved"), "home");
    renameSync(book, moved);
    rmSync(dir, { recursive: true });
    const after = await answers(open(roots, moved));
    expect(differences(withoutExcerpts(before), withoutExcerpts(after))).toEqual([]);
  });
});

describe.runIf(process.platform !== "win32")("the book", () => {
  it("is not accessible to other users of the machine", async () => {
    const { roots } = copyCorpus(["claude-2.1.325"]);
    const book = join(scratch("book"), "home");
    const daybook = open(roots, book);
    await daybook.report();
    const exposed = readdirSync(book, { recursive: true, encoding: "utf8" })
      .map((name) => join(book, name))
      .filter((path) => statSync(path).isFile() && (statSync(path).mode & 0o077) !== 0);
    daybook.close();
    expect(exposed.filter((path) => /\.(?:jsonl|frames|db)/.test(path))).toEqual([]);
    expect(statSync(book).mode & 0o077).toBe(0);
  });
});
