import { cpSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { isLogDamaged } from "../../src/io/sqlite-log.ts";
import { IndexStore } from "../../src/store/tables/index-store.ts";
import { markSyncStarted, isUnfinished } from "../../src/store/tables/seal.ts";
import { flagsOf } from "./cli.ts";
import { copyCorpus, open, scratch, type Roots } from "./fixture.ts";

const dir = scratch("index-damage");
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
  const daybook = open(roots, home);
  await daybook.sync();
  daybook.close();
  // Only the book is left: nothing can be read again.
  rmSync(corpus.dir, { recursive: true });
  const answered = await askAll(home);
  expect(answered.map(({ code, err }) => ({ code, err }))).toEqual(QUESTIONS.map(() => ({ code: 0, err: "" })));
  undamaged = answered.map(({ out }) => out);
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
const seeds = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

describe("random damage to the index", () => {
  it.each(seeds(60))("is noticed before any answer, reported once, and repaired (seed %i)", async (seed) => {
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
  it.each(seeds(20))(
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

  it.each(seeds(20))("in the write-ahead log left by a killed sync changes no answer (seed %i)", async (seed) => {
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

it("an index with another modification time is rebuilt, once", async () => {
  const book = join(dir, "copied");
  cpSync(home, book, { recursive: true });
  utimesSync(join(book, "index.db"), 1, 1);
  expect((await ask(["sessions"], book)).err).toMatch(REBUILT);
  expect(await ask(["sessions"], book)).toEqual({ code: 0, out: undamaged[0], err: "" });
});

it("an undamaged index whose seal says it was being written is checked, sealed and not rebuilt", async () => {
  const book = copyOf(home, "open");
  writeFileSync(join(book, "index.seal"), "open");
  expect(await ask(["sessions"], book)).toEqual({ code: 0, out: undamaged[0], err: "" });
  expect(readFileSync(join(book, "index.seal"), "utf8")).toMatch(/^\d+ \d+$/);
});
