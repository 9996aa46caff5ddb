import fs, { appendFileSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Changes } from "../../src/answers/daybook.ts";
import { A, CALL, E, M, OUT, R, TC, TD, TS, U, write, type Line } from "../cases/build.ts";
import { cases } from "../nightly.ts";
import { copyCorpus, open, scratch, syncBook, type Roots } from "./fixture.ts";

/** Paths under a directory that are opened during the work, observed by patching Node's fs module. */
async function pathsOpened(dir: string, work: (soFar: readonly string[]) => Promise<unknown>): Promise<string[]> {
  const opened: string[] = [];
  const real = { openSync: fs.openSync, readFileSync: fs.readFileSync };
  const note = (path: unknown): void => {
    if (typeof path === "string" && path.startsWith(dir)) opened.push(path);
  };
  Object.assign(fs, {
    openSync: (...args: Parameters<typeof fs.openSync>) => {
      note(args[0]);
      return real.openSync(...args);
    },
    readFileSync: (...args: Parameters<typeof fs.readFileSync>) => {
      note(args[0]);
      return real.readFileSync(...args);
    },
  });
  syncBuiltinESMExports();
  try {
    await work(opened);
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
  return opened;
}

/** Bytes read from files (including the book, but not what SQLite reads) and decompressed during the work. */
async function bytesRead(work: () => Promise<unknown>): Promise<{ read: number; unpacked: number }> {
  const done = { read: 0, unpacked: 0 };
  const real = { readSync: fs.readSync, brotliDecompressSync: zlib.brotliDecompressSync };
  Object.assign(fs, {
    readSync: (...args: Parameters<typeof fs.readSync>) => {
      const got = real.readSync(...args);
      done.read += got;
      return got;
    },
  });
  Object.assign(zlib, {
    brotliDecompressSync: (...args: Parameters<typeof zlib.brotliDecompressSync>) => {
      const got = real.brotliDecompressSync(...args);
      done.unpacked += got.length;
      return got;
    },
  });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(fs, { readSync: real.readSync });
    Object.assign(zlib, { brotliDecompressSync: real.brotliDecompressSync });
    syncBuiltinESMExports();
  }
  return done;
}

const LINES = ["codex-0.166.0", "claude-2.1.325", "pi-0.87.1", "gemini-0.61.0", "qwen-0.24.4", "copilot-1.0.102"];

function turn(n: number, ...work: Line[]): Line[] {
  const words = `do thing ${n} ${"and more ".repeat(40)}`;
  const said = [...work, A(`done ${n}`), U(n * 10, 10), TD(`t${n}`)];
  return [TS(`t${n}`), TC({ turn_id: `t${n}` }), R(words), E(words), ...said];
}

/** A Codex session of several megabytes. */
function large(
  callsOf: (n: number) => Line[] = () => [],
  turns = 3000,
): { roots: Roots; path: string; line: (line: Line) => void } {
  const dir = scratch("large");
  const lines = [M("large-session")];
  for (let n = 1; n <= turns; n++) lines.push(...turn(n, ...callsOf(n)));
  const path = write(join(dir, "rollout-large.jsonl"), lines);
  return { roots: { codex: [dir] }, path, line: (line) => appendFileSync(path, `${JSON.stringify(line)}\n`) };
}

describe("a sync", () => {
  it("opens no session file and writes nothing if nothing changed", async () => {
    const { dir, roots } = copyCorpus(LINES);
    const book = scratch("book");
    const first = await syncBook(roots, book);
    expect(first.files_read).toBe(first.files_seen);
    expect(first.bytes_read).toBeGreaterThan(1e6);
    const before = statSync(join(book, "index.db")).mtimeMs;
    const opened = await pathsOpened(dir, async () => {
      const { files_seen, unreadable, damaged, ...counts } = await syncBook(roots, book);
      expect(files_seen).toBe(first.files_seen);
      expect([...unreadable, ...damaged]).toEqual([]);
      expect(Object.values(counts)).toEqual(Object.values(counts).map(() => 0));
    });
    expect(opened.filter((path) => path.endsWith(".jsonl") && !path.endsWith("history.jsonl"))).toEqual([]);
    expect(statSync(join(book, "index.db")).mtimeMs).toBe(before);
  });

  it("reads and writes in proportion to what was appended, not to the size of the session", async () => {
    const { roots, path, line } = large();
    const book = scratch("book");
    await syncBook(roots, book);
    expect(statSync(path).size).toBeGreaterThan(3e6);
    line(TS("last"));
    const partial = await syncBook(roots, book);
    expect(partial.files_read).toBe(1);
    expect(partial.bytes_read).toBeLessThan(64 * 1024);
    for (const more of [R("one more"), E("one more"), A("yes"), U(99999, 10), TD("last")]) {
      line(more);
      const report = await syncBook(roots, book);
      expect(report.bytes_read).toBeLessThan(64 * 1024);
      expect(report.entries).toBeLessThanOrEqual(3);
      expect(report.rows_written).toBeLessThan(12);
    }
    const daybook = open(roots, book);
    expect((await daybook.turns({ limit: 1 }))[0]?.trigger.text).toBe("one more");
    expect((await daybook.turns()).length).toBe(3001);
    daybook.close();
  });

  it("reads and decompresses only a small part of a long session for appended lines", async () => {
    const { roots, line } = large((n) => [CALL(`c${n}`, "shell", { command: ["make", `${n}`] }), OUT(`c${n}`, "ok")]);
    const book = scratch("book");
    await syncBook(roots, book);
    const appended = [
      [TS("last"), TC({ turn_id: "last" }), R("one more"), E("one more")],
      [CALL("new", "shell", { command: ["ls"] })],
      [OUT("new", "done")],
      // A late result for a call of a turn in the middle.
      [OUT("c1500", "done")],
      [A("yes")],
      [U(99999, 10)],
      [TD("last")],
    ];
    for (const lines of appended) {
      for (const more of lines) line(more);
      const { read, unpacked } = await bytesRead(() => syncBook(roots, book));
      expect(read).toBeLessThan(64 * 1024);
      expect(unpacked).toBeGreaterThan(0);
      expect(unpacked).toBeLessThan(192 * 1024);
    }
    const [fromBook, direct] = [open(roots, book), open(roots)];
    expect(await fromBook.turns()).toEqual(await direct.turns());
    expect(await fromBook.tools()).toEqual(await direct.tools());
    fromBook.close();
  });

  it("reads only what was appended to a fork or to its parent", async () => {
    const { roots, path, line } = large(() => [], cases(1200, 3000));
    const fork = join(path, "..", "rollout-fork.jsonl");
    const parent = fs.readFileSync(path, "utf8").split("\n").slice(1, cases(5601, 14001)).join("\n");
    const header = { ...M("fork", { forked_from_id: "large-session" }) };
    writeFileSync(fork, `${JSON.stringify(header)}\n${parent}\n`);
    const book = scratch("book");
    await syncBook(roots, book);
    const own = open(roots, book);
    expect((await own.turns({ session: "fork" })).length).toBe(0);
    own.close();
    for (const [n, to] of [fork, path, fork].entries()) {
      for (const more of turn(90_000 + n)) appendFileSync(to, `${JSON.stringify(more)}\n`);
      expect((await syncBook(roots, book)).bytes_read).toBeLessThan(64 * 1024);
    }
    line(TS("x"));
    const [fromBook, direct] = [open(roots, book), open(roots)];
    expect(await fromBook.turns({ session: "fork" })).toEqual(await direct.turns({ session: "fork" }));
    expect(await fromBook.audit()).toEqual(await direct.audit());
    fromBook.close();
  });

  it("reads a file at most once if only its modification time changed", async () => {
    const { roots, path } = large();
    const book = scratch("book");
    await syncBook(roots, book);
    utimesSync(path, new Date(), new Date(Date.now() + 5000));
    const report = await syncBook(roots, book);
    expect(report.bytes_read).toBeLessThan(statSync(path).size + 64 * 1024);
    expect((await syncBook(roots, book)).bytes_read).toBe(0);
  });
});

describe("watch", () => {
  it("opens no session file after the first sync except a new one", async () => {
    const { dir, roots } = copyCorpus(LINES);
    const live = join(dir, "codex-0.166.0", "sessions", "2026", "11", "15", "rollout-live.jsonl");
    const stop = new AbortController();
    const batches: Changes[] = [];
    let opensOfFirstSync = 0;
    const daybook = open(roots, scratch("book"));
    const opened = await pathsOpened(dir, async (soFar) => {
      for await (const changes of daybook.watch({ every: 1, signal: stop.signal })) {
        batches.push(changes);
        if (batches.length === 2) break;
        opensOfFirstSync = soFar.length;
        // Several checks find nothing before the file is written.
        setTimeout(() => {
          mkdirSync(join(live, ".."), { recursive: true });
          write(live, [M("live"), R("hello"), E("hello")]);
        }, 100);
      }
    });
    daybook.close();
    const [first, second] = batches;
    expect(first?.sync?.files_read).toBeGreaterThan(1);
    expect(second?.sync?.files_read).toBe(1);
    expect(second?.sessions).toEqual([{ source: "codex", session_id: "live", change: "appeared" }]);
    const isSession = (path: string): boolean => path.endsWith(".jsonl") && !/history|index/.test(path);
    expect(new Set(opened.slice(0, opensOfFirstSync).filter(isSession)).size).toBe(first?.sync?.files_read);
    expect(new Set(opened.slice(opensOfFirstSync).filter(isSession))).toEqual(new Set([live]));
  });
});
