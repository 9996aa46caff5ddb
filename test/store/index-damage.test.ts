import { cpSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { main } from "../../src/doors/cli/main.ts";
import { isLogDamaged } from "../../src/base/io/sqlite-log.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { PAGE_SIZE, pageSumsOf, readSums, updatedSums } from "../../src/index/tables/page-sums.ts";
import { isUnfinished, markSyncStarted, sealStateOf } from "../../src/index/tables/seal.ts";
import { seeds } from "../nightly.ts";
import { flagsOf } from "./cli.ts";
import { copyCorpus, open, scratch, type Roots } from "./fixture.ts";

const dir = scratch("index-damage");
/** Never opened, only copied: damage that a process finds condemns every index it has open. */
const home = join(dir, "home");
/** A home as a killed sync leaves it: with a large write-ahead log. */
const killed = join(dir, "killed");
const QUESTIONS = [["sessions"], ["turns"], ["usage", "daily"], ["search", "the", "--limit", "9"]];
let roots: Roots;
let undamaged: string[];

interface Answer {
  code: number;
  out: string;
  err: string;
}

async function ask(words: readonly string[], book: string): Promise<Answer> {
  const answer = { code: 0, out: "", err: "" };
  answer.code = await main([...words, "-j", ...flagsOf(roots, book)], {
    out: (text) => void (answer.out += text),
    err: (text) => void (answer.err += text),
    env: { HOME: "/nowhere" },
    now: Date.UTC(2026, 11, 31),
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
  });
  // As at the end of a process.
  IndexStore.release(book);
  return answer;
}

async function askAll(book: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const words of QUESTIONS) answers.push(await ask(words, book));
  return answers;
}

beforeAll(async () => {
  const corpus = copyCorpus(["pi-0.87.1"]);
  ({ roots } = corpus);
  const made = join(dir, "made");
  const daybook = open(roots, made);
  await daybook.sync();
  daybook.close();
  // Only the book is left: nothing can be read again.
  rmSync(corpus.dir, { recursive: true });
  const answered = await askAll(made);
  expect(answered.map(({ code, err }) => ({ code, err }))).toEqual(QUESTIONS.map(() => ({ code: 0, err: "" })));
  undamaged = answered.map(({ out }) => out);
  cpSync(made, home, { recursive: true, preserveTimestamps: true });
  const source = copyOf(home, "left");
  const store = IndexStore.openExisting(source);
  markSyncStarted(source);
  for (const table of ["session", "turn"]) store?.transaction(() => store.run(`UPDATE ${table} SET view = view`));
  cpSync(source, killed, { recursive: true, preserveTimestamps: true });
  store?.close();
  IndexStore.release(source);
});

function copyOf(from: string, name: string): string {
  const book = join(dir, name);
  cpSync(from, book, { recursive: true, preserveTimestamps: true });
  return book;
}

/** Changes some bytes of a file, or truncates it, at a place chosen by the seed. */
function damage(path: string, seed: number): string {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const { size } = statSync(path);
  const at = next(size);
  const length = [1, 1, 1, 16, 300, 5000, Infinity][next(7)] ?? 1;
  if (length === Infinity) truncateSync(path, at);
  else {
    const bytes = readFileSync(path);
    for (let i = at; i < Math.min(size, at + length); i++) bytes[i] = ((bytes[i] ?? 0) + 1 + next(254)) % 256;
    writeFileSync(path, bytes);
  }
  return `${path.slice(dir.length)}:${at}+${length}`;
}

const REBUILT = /^daybook: the index was damaged; made again from the book \(\d+ pages\)\n$/;

describe("random damage to the index", () => {
  it.each(seeds(20, 60))("is noticed before any answer, reported once, and repaired (seed %i)", async (seed) => {
    const book = copyOf(home, `home-${seed}`);
    const where = damage(join(book, "index.db"), seed);
    const answered = await askAll(book);
    const errors = answered.map(({ err }) => err).join("");
    expect({ where, errors }).toEqual({ where, errors: expect.stringMatching(REBUILT) });
    expect(answered.map(({ out }) => out)).toEqual(undamaged);
    expect(answered.map(({ code }) => code)).toEqual(QUESTIONS.map(() => 0));
    rmSync(book, { recursive: true });
  });

  // SQLite cannot detect a changed value, only damaged structure. Such damage is repaired, and never shown as an error.
  it.each(seeds(8, 20))(
    "that leaves size and modification time unchanged is repaired if SQLite notices it (seed %i)",
    async (n) => {
      const book = copyOf(home, `rot-${n}`);
      const path = join(book, "index.db");
      const { size, atime, mtime } = statSync(path);
      const where = damage(path, n);
      if (statSync(path).size !== size) return;
      utimesSync(path, atime, mtime);
      for (const [i, { code, out, err }] of (await askAll(book)).entries()) {
        expect({ where, code, err }).toEqual({
          where,
          code: 0,
          err: expect.stringMatching(err === "" ? /^$/ : REBUILT),
        });
        if (err !== "") expect(out, where).toBe(undamaged[i]);
      }
      rmSync(book, { recursive: true });
    },
  );

  it.each(seeds(8, 20))("in the write-ahead log left by a killed sync changes no answer (seed %i)", async (seed) => {
    const book = copyOf(killed, `killed-${seed}`);
    const path = join(book, "index.db-wal");
    expect(isLogDamaged(path)).toBe(false);
    const where = damage(path, seed);
    const answered = await askAll(book);
    expect(
      answered.map(({ out }) => out),
      where,
    ).toEqual(undamaged);
    expect(answered.map(({ code }) => code)).toEqual(QUESTIONS.map(() => 0));
    expect(isUnfinished(book)).toBe(false);
    rmSync(book, { recursive: true });
  });

  it("in the write-ahead log is told apart from the incomplete end that a killed process leaves", () => {
    const book = copyOf(killed, "log");
    const path = join(book, "index.db-wal");
    const bytes = readFileSync(path);
    const frame = 24 + 16_384;
    expect(bytes.length).toBeGreaterThan(32 + 3 * frame);
    // Incomplete in its last frame.
    writeFileSync(path, bytes.subarray(0, bytes.length - 100));
    expect(isLogDamaged(path)).toBe(false);
    for (const at of [10, 20, 32 + 9, 32 + frame + 100]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(path, changed);
      expect(isLogDamaged(path), String(at)).toBe(true);
    }
  });
});

/** As `cp -r` does: every file has another inode and another time. */
function plainCopyOf(from: string, name: string): string {
  const book = join(dir, name);
  cpSync(from, book, { recursive: true });
  const { atime, mtime } = statSync(join(from, "index.db"));
  utimesSync(join(book, "index.db"), atime, new Date(mtime.getTime() + 5000));
  return book;
}

describe("a copied home", () => {
  it("answers as before, without its index being made again", async () => {
    const book = plainCopyOf(home, "copied");
    const { ino } = statSync(join(book, "index.db"));
    expect(await askAll(book)).toEqual(undamaged.map((out) => ({ code: 0, out, err: "" })));
    expect(statSync(join(book, "index.db")).ino).toBe(ino);
    // A copy of the copy is one, too.
    const again = plainCopyOf(book, "copied-again");
    expect(await ask(["sessions"], again)).toEqual({ code: 0, out: undamaged[0], err: "" });
  });

  it("has a seal of its own after the first answer", async () => {
    const book = plainCopyOf(home, "sealed");
    expect(sealStateOf(join(book, "index.db"))).toBe("broken");
    await ask(["sessions"], book);
    expect(sealStateOf(join(book, "index.db"))).toBe("whole");
  });

  it.each(seeds(8, 20))("is rebuilt if it was damaged on the way (seed %i)", async (seed) => {
    const book = plainCopyOf(home, `damaged-${seed}`);
    const where = damage(join(book, "index.db"), seed);
    const { err, out } = await ask(["sessions"], book);
    expect({ where, err, out }).toEqual({ where, err: expect.stringMatching(REBUILT), out: undamaged[0] });
    rmSync(book, { recursive: true });
  });

  it.each(["index.sums", "index.seal"])("is rebuilt if its %s is lost, damaged or of another state", async (name) => {
    for (const content of [null, "", "1 2 3\n", "\0"]) {
      const book = plainCopyOf(home, "unsealed");
      if (content === null) rmSync(join(book, name));
      else writeFileSync(join(book, name), content);
      expect((await ask(["sessions"], book)).err).toMatch(REBUILT);
      rmSync(book, { recursive: true });
    }
  });
});

describe("the sums of the pages", () => {
  const sumsOf = (book: string): number[] | null => {
    const sealed = readFileSync(join(book, "index.seal"), "utf8");
    const sums = readSums(join(book, "index.sums"), sealed);
    return sums && [...sums];
  };

  it("are those of the file after every write, whatever it changed", () => {
    const book = copyOf(home, "written");
    const path = join(book, "index.db");
    const sealed = sumsOf(book);
    expect(sealed).toEqual([...pageSumsOf(path)]);
    const writes = [
      "UPDATE session SET view = view || ' '",
      "CREATE TABLE more AS SELECT hex(randomblob(20000)) AS text FROM turn",
      "DELETE FROM more",
      "UPDATE turn SET view = view || ' '",
    ];
    for (const sql of writes) {
      const store = IndexStore.openExisting(book);
      store?.transaction(() => store.run(sql));
      store?.close();
      IndexStore.release(book);
      expect([sql, sealStateOf(path), sumsOf(book)]).toEqual([sql, "whole", [...pageSumsOf(path)]]);
    }
    expect(sumsOf(book)).not.toEqual(sealed);
  });

  it("are brought up to date by reading only the pages that were written", () => {
    const book = copyOf(home, "little");
    const path = join(book, "index.db");
    const before = pageSumsOf(path);
    // A page that changed without being written to shows that it was not read.
    const changed = new Set([2, before.length]);
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at += PAGE_SIZE) bytes[at + 99] = (bytes[at + 99] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const now = pageSumsOf(path);
    const updated = updatedSums(path, before, changed);
    expect([...updated].map((sum, i) => sum === now[i])).toEqual([...before].map((_, i) => changed.has(i + 1)));
  });

  it("are taken from all of the file if another process wrote meanwhile", () => {
    const book = copyOf(home, "both");
    const [one, other] = [IndexStore.openExisting(book), IndexStore.openExisting(book)];
    one?.transaction(() => one.run("UPDATE session SET view = view || ' '"));
    other?.transaction(() => other.run("UPDATE turn SET view = view || ' '"));
    one?.close();
    other?.close();
    IndexStore.release(book);
    expect(sumsOf(book)).toEqual([...pageSumsOf(join(book, "index.db"))]);
  });
});

it("an undamaged index whose seal says it was being written is checked, sealed and not rebuilt", async () => {
  const book = copyOf(home, "open");
  writeFileSync(join(book, "index.seal"), "open");
  expect(await ask(["sessions"], book)).toEqual({ code: 0, out: undamaged[0], err: "" });
  expect(readFileSync(join(book, "index.seal"), "utf8")).toMatch(/^\d+ \d+$/);
});
