import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Daybook } from "../../src/answers/daybook.ts";
import { seeds } from "../nightly.ts";
import { CORPUS } from "../truth.ts";

const dir = mkdtempSync(join(tmpdir(), "daybook-ledgers-"));
const native = join(dir, "native");
const home = join(dir, "home");
/** The home after the first half of each session. */
const older = join(dir, "older");
const ROOTS = { pi: [join(native, "pi")], codex: [join(native, "codex")] };

function open(book: string): Daybook {
  return new Daybook({ roots: ROOTS, book, timezone: "UTC", env: {}, home: "/nowhere", now: Date.UTC(2026, 10, 16) });
}

/** The files of the book with this ending, of which there are many. */
function files(book: string, ending: string): string[] {
  const all = readdirSync(join(book, "book"), { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending) && !/\.(?:own|ids)\b/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

let prompts: string[] = [];
beforeAll(async () => {
  cpSync(`${CORPUS}pi-0.87.1`, join(native, "pi"), { recursive: true });
  cpSync(`${CORPUS}codex-0.130.0`, join(native, "codex"), { recursive: true });
  // Read in two steps, so that ledgers have more than one commit.
  const daybook = open(home);
  const whole = new Map(sessionFiles(native).map((path) => [path, readFileSync(path, "utf8")]));
  for (const [path, text] of whole) {
    const lines = text.split("\n");
    writeFileSync(path, `${lines.slice(0, Math.ceil(lines.length / 2)).join("\n")}\n`);
  }
  await daybook.sync();
  cpSync(home, older, { recursive: true });
  for (const [path, text] of whole) writeFileSync(path, text);
  await daybook.sync();
  prompts = (await daybook.turns()).map(({ trigger }) => trigger.text ?? "");
  daybook.close();
  rmSync(native, { recursive: true });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function sessionFiles(root: string): string[] {
  const all = readdirSync(root, { recursive: true, withFileTypes: true });
  return all.filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl")).map((e) => join(e.parentPath, e.name));
}

const LEDGER = ".ledger.jsonl";
const rowsOf = (path: string): string[] => readFileSync(path, "utf8").trimEnd().split("\n");
const write = (path: string, rows: readonly string[]): void =>
  writeFileSync(path, rows.map((row) => `${row}\n`).join(""));

/** What is done to one ledger of the book, and to what lies beside it. */
const DAMAGES: Readonly<Record<string, (ledger: string, seed: number) => void>> = {
  "its end cut off after a commit": (path) => {
    const rows = rowsOf(path);
    write(path, rows.slice(0, rows.findIndex((row) => row.startsWith('{"commit"')) + 1));
  },
  deleted: (path) => rmSync(path),
  "deleted with its log": (path) => {
    for (const end of [LEDGER, ".jsonl", ".jsonl.frames"]) rmSync(path.replace(LEDGER, end), { force: true });
  },
  emptied: (path) => writeFileSync(path, ""),
  "one row removed": (path, seed) => {
    const rows = rowsOf(path);
    const isRow = (row: string): boolean => row.startsWith("[");
    const at = rows.findIndex((row, i) => i >= (seed * 7) % rows.length && isRow(row));
    write(path, rows.toSpliced(at < 0 ? rows.findIndex(isRow) : at, 1));
  },
  "a commit in the middle removed": (path) => {
    const rows = rowsOf(path);
    write(
      path,
      rows.toSpliced(
        rows.findIndex((row) => row.startsWith('{"commit"')),
        1,
      ),
    );
  },
  "a row of another kind removed": (path) => {
    const rows = rowsOf(path);
    write(
      path,
      rows.toSpliced(
        rows.findIndex((row) => row.startsWith('{"kind"')),
        1,
      ),
    );
  },
  "two rows swapped": (path, seed) => {
    const rows = rowsOf(path);
    const at = 1 + ((seed * 3) % Math.max(1, rows.length - 3));
    write(path, rows.toSpliced(at, 2, rows[at + 1] ?? "", rows[at] ?? ""));
  },
  "its rows in reverse": (path) => {
    const rows = rowsOf(path);
    const isRow = (row: string): boolean => row.startsWith("[");
    const reversed = rows.filter(isRow).toReversed();
    write(
      path,
      rows.map((row) => (isRow(row) ? (reversed.shift() ?? "") : row)),
    );
  },
  "its last commit removed": (path) => {
    const rows = rowsOf(path);
    write(
      path,
      rows.toSpliced(
        rows.findLastIndex((row) => row.startsWith('{"commit"')),
        1,
      ),
    );
  },
  "zeros at its end": (path) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, bytes.length - 200));
  },
  "a row repeated": (path) => {
    const rows = rowsOf(path);
    const at = rows.findIndex((row) => row.startsWith("["));
    write(path, rows.toSpliced(at, 0, rows[at] ?? ""));
  },
};

describe.each(Object.entries(DAMAGES))("a ledger with %s, when the agent's file is gone", (_, damage) => {
  it.each(seeds(2, 6))("is reported, with the index and without it (%i)", async (seed) => {
    for (const hasIndex of [true, false]) {
      const book = mkdtempSync(join(dir, "copy-"));
      cpSync(home, book, { recursive: true, preserveTimestamps: true });
      const ledgers = files(book, LEDGER);
      const ledger = ledgers[(seed * 5) % ledgers.length] ?? "";
      damage(ledger, seed);
      if (!hasIndex)
        for (const name of readdirSync(book))
          if (name.startsWith("index")) rmSync(join(book, name), { recursive: true });
      const daybook = open(book);
      const { damaged } = await daybook.sync({ verify: true });
      const page = ledger.slice(book.length + 1, -LEDGER.length);
      expect(damaged.map((one) => one.page)).toContain(page);
      daybook.close();
      rmSync(book, { recursive: true });
    }
  });
});

/** The files of two pages, of which the second may be overwritten. */
function twoPages(book: string): string[][] {
  const [first = "", second = ""] = files(book, LEDGER).filter((path) => path.includes("codex"));
  return [first, second].map((path) => [path, path.replace(LEDGER, ".jsonl")]);
}

/** What is done to whole files of the book, and the pages or files that are then named. */
const REPLACED: Readonly<Record<string, (book: string) => string[]>> = {
  "both files of a page in an older state": (book) => {
    const [page = []] = twoPages(book);
    for (const path of page) cpSync(path.replace(book, older), path);
    return page.slice(0, 1);
  },
  "two pages in each other's place": (book) => {
    const [one = [], other = []] = twoPages(book);
    for (const [n, path] of one.entries()) {
      const text = readFileSync(path);
      writeFileSync(path, readFileSync(other[n] ?? ""));
      writeFileSync(other[n] ?? "", text);
    }
    return [one[0] ?? "", other[0] ?? ""];
  },
  "a page and its row of the list gone": (book) => {
    const [page = []] = twoPages(book);
    for (const path of page) rmSync(path);
    const list = join(book, "book", "pages.jsonl");
    const name = (page[0] ?? "").slice(book.length + 1, -LEDGER.length);
    write(
      list,
      rowsOf(list).filter((row) => !row.includes(name)),
    );
    return page.slice(0, 1);
  },
  "a page that nobody listed": (book) => {
    const [page = []] = twoPages(book);
    for (const path of page) cpSync(path, path.replace(/(\.ledger)?\.jsonl$/, "0$1.jsonl"));
    return [join(book, "book", "pages.jsonl")];
  },
  "a shorter list of pages": (book) => {
    const list = join(book, "book", "pages.jsonl");
    write(list, rowsOf(list).slice(0, 2));
    return [list];
  },
  "no list of pages": (book) => {
    rmSync(join(book, "book", "pages.jsonl"));
    return [join(book, "book", "pages.jsonl")];
  },
};

it.each(Object.entries(REPLACED))("a book with %s is reported", async (_, replace) => {
  const book = mkdtempSync(join(dir, "copy-"));
  cpSync(home, book, { recursive: true, preserveTimestamps: true });
  const named = replace(book).map((path) => path.slice(book.length + 1).replace(LEDGER, ""));
  const daybook = open(book);
  const { damaged } = await daybook.sync({ verify: true });
  expect(damaged.map(({ page }) => page)).toEqual(expect.arrayContaining(named));
  daybook.close();
  rmSync(book, { recursive: true });
});

it("a page that is lost is named with every answer, also after the index was made again", async () => {
  const book = mkdtempSync(join(dir, "copy-"));
  cpSync(home, book, { recursive: true, preserveTimestamps: true });
  const [page = []] = twoPages(book);
  for (const path of page) rmSync(path);
  for (const file of readdirSync(book)) if (file.startsWith("index")) rmSync(join(book, file), { recursive: true });
  const daybook = open(book);
  await daybook.sync();
  const codes = (await daybook.problems()).map(({ code }) => code);
  expect(codes).toContain("page_damaged");
  daybook.close();
  rmSync(book, { recursive: true });
});

it("records whose rows were lost are read again from the log", async () => {
  for (const name of ["its end cut off after a commit", "deleted", "emptied"]) {
    const book = mkdtempSync(join(dir, "copy-"));
    cpSync(home, book, { recursive: true, preserveTimestamps: true });
    for (const ledger of files(book, LEDGER)) DAMAGES[name]?.(ledger, 1);
    for (const file of readdirSync(book)) if (file.startsWith("index")) rmSync(join(book, file), { recursive: true });
    const daybook = open(book);
    const { damaged } = await daybook.sync({ verify: true });
    expect(damaged.length, name).toBe(files(book, LEDGER).length);
    const after = (await daybook.turns()).map(({ trigger }) => trigger.text ?? "");
    expect(
      prompts.filter((text) => !after.includes(text)),
      name,
    ).toEqual([]);
    // Said once: from now on the rows are there again.
    expect((await daybook.sync({ verify: true })).damaged, name).toEqual([]);
    expect((await daybook.audit()).balanced, name).toBe(true);
    daybook.close();
    rmSync(book, { recursive: true });
  }
});

it("the list of pages is written again after damage, and holds no forgotten session", async () => {
  const book = mkdtempSync(join(dir, "copy-"));
  cpSync(home, book, { recursive: true, preserveTimestamps: true });
  const list = join(book, "book", "pages.jsonl");
  const whole = readFileSync(list, "utf8");
  writeFileSync(list, whole.replace('"page"', '"pave"'));
  const daybook = open(book);
  expect((await daybook.sync({ verify: true })).damaged.map(({ page }) => page)).toEqual(["book/pages.jsonl"]);
  expect((await daybook.sync({ verify: true })).damaged).toEqual([]);
  expect(readFileSync(list, "utf8").split("\n").toSorted()).toHaveLength(whole.split("\n").length);
  const [session] = await daybook.sessions({ limit: 1 });
  const plan = await daybook.forgetPlan({ sessions: [session?.session_id ?? ""] });
  await daybook.forget(plan);
  expect(readFileSync(list, "utf8")).not.toContain(session?.session_id);
  expect(existsSync(list)).toBe(true);
  expect((await daybook.sync({ verify: true })).damaged).toEqual([]);
  daybook.close();
});
