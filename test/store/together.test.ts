import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { acquireLock } from "../../src/record/write-lock.ts";
import { M, write } from "../cases/build.ts";
import { ended, flagsOf, run, start } from "./cli.ts";
import { answers, copyCorpus, differences, open, scratch } from "./fixture.ts";

const LABELS = ["codex-0.130.0-tui", "pi-0.87.1"];

describe("several processes with one home", () => {
  it("answer a query during a sync from what was read before, with a note on stderr", async () => {
    const { dir, roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const flags = flagsOf(roots, home);
    const before = await run(["turns", "-j", ...flags]);
    const lock = acquireLock(join(home, "sync.lock"));
    write(join(dir, "codex-0.130.0-tui", "sessions", "2026", "rollout-new.jsonl"), [M("new")]);
    const meanwhile = await run(["turns", "-j", ...flags]);
    expect(meanwhile.out).toBe(before.out);
    expect(meanwhile.code).toBe(0);
    expect(meanwhile.err).toContain(`being written by process ${process.pid} on ${hostname()}`);
    expect((await run(["turns", "-j", "-q", ...flags])).err).toBe("");
    lock.release();
    expect((await run(["sessions", "-j", ...flags])).out).toContain('"new"');
  });

  it("answer a query that finds nothing new without the sync lock and without a note", async () => {
    const { roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const flags = flagsOf(roots, home);
    const before = await run(["turns", "-j", ...flags]);
    const lock = acquireLock(join(home, "sync.lock"));
    expect(await run(["turns", "-j", ...flags])).toEqual(before);
    lock.release();
    expect(before.err).toBe("");
  });

  it("answer a query during the first sync from the files", async () => {
    const { roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const direct = await run(["turns", "-j", ...flagsOf(roots, scratch("other"))]);
    const lock = acquireLock(join(home, "sync.lock"));
    const meanwhile = await run(["turns", "-j", ...flagsOf(roots, home)]);
    expect(meanwhile.out).toBe(direct.out);
    lock.release();
  });

  it("wait for the sync lock, and fail after a timeout, naming the process that holds it", async () => {
    const { roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const flags = flagsOf(roots, home);
    const first = acquireLock(join(home, "sync.lock"));
    const waiting = run(["sync", ...flags]);
    await sleep(700);
    first.release();
    expect((await waiting).code).toBe(0);
    const lock = acquireLock(join(home, "sync.lock"));
    const refused = await run(["sync", "-j", ...flags]);
    lock.release();
    expect(refused.code).toBe(1);
    const { error } = JSON.parse(refused.err) as { error: { message: string; hint: string } };
    expect(error.message).toContain(`process ${process.pid}`);
    expect(error.hint).toContain("sync.lock");
  });

  it("all succeed when they sync and query at the same time, and leave a correct book", async () => {
    const { dir, roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const flags = flagsOf(roots, home);
    const path = write(join(dir, "codex-0.130.0-tui", "sessions", "2026", "rollout-new.jsonl"), [M("new")]);
    for (let round = 0; round < 3; round++) {
      appendFileSync(path, `${JSON.stringify(M("new", { round }))}\n`);
      const all = await Promise.all([
        ...["turns", "sessions", "audit", "tools"].map((command) => run([command, "-j", ...flags])),
        run(["sync", ...flags]),
        run(["sync", ...flags]),
      ]);
      expect(all.map((ran) => ran.code)).toEqual(all.map(() => 0));
    }
    expect(existsSync(join(home, "sync.lock"))).toBe(false);
    expect(readdirSync(home).filter((name) => name.startsWith("sync.lock"))).toEqual([]);
    expect(differences(await answers(open(roots)), await answers(open(roots, home)))).toEqual([]);
  });

  it("take over the sync lock of a process that died", async () => {
    const { roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const dead = { pid: 2 ** 22 - 3, host: hostname(), started: "1", token: "x" };
    writeFileSync(join(home, "sync.lock"), JSON.stringify(dead));
    expect((await run(["sync", ...flagsOf(roots, home)])).code).toBe(0);
  });
});

describe("a full disk", () => {
  it("leaves a book that queries can use and a later sync completes", async () => {
    const { roots } = copyCorpus(["claude-2.1.325"]);
    const home = scratch("home");
    const flags = flagsOf(roots, home);
    const outcomes: (number | null)[] = [];
    // A file size limit simulates the full disk: every write beyond it fails, also in the middle of a record.
    for (const kilobytes of [1, 8, 40, 100, 200, 300, 500]) {
      const { code } = await run(["sync", ...flags], `trap '' XFSZ; ulimit -f ${kilobytes}`);
      outcomes.push(code);
      const query = await run(["sessions", "-j", "--no-sync", ...flags]);
      expect([0, 3]).toContain(query.code);
    }
    expect(outcomes.some((code) => code !== 0)).toBe(true);
    expect((await run(["sync", ...flags])).code).toBe(0);
    expect(differences(await answers(open(roots)), await answers(open(roots, home)))).toEqual([]);
  });
});

describe("sync --watch", () => {
  it("prints one line per sync that found something, and exits with 0 on SIGINT", async () => {
    const { dir, roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const child = start(["sync", "--watch", "--interval", "0.1", ...flagsOf(roots, home)]);
    const over = ended(child);
    let out = "";
    child.stdout?.on("data", (text: string) => (out += text));
    const untilLines = async (n: number): Promise<void> => {
      while (out.split("\n").length <= n && child.exitCode === null) await sleep(50);
    };
    await untilLines(1);
    // Renamed into place: on a busy machine, a sync might otherwise find the file empty first.
    const path = join(dir, "codex-0.130.0-tui", "sessions", "2026", "rollout-new.jsonl");
    renameSync(write(`${path}.part`, [M("new")]), path);
    await untilLines(2);
    await sleep(400);
    child.kill("SIGINT");
    const ran = await over;
    expect(ran.code).toBe(0);
    expect(ran.err).toBe("");
    const printed = ran.out.trimEnd().split("\n");
    expect(printed).toHaveLength(2);
    expect(printed[1]).toMatch(/^\d\d:\d\d:\d\d Read 1 file of/);
    expect(existsSync(join(home, "sync.lock"))).toBe(false);
    expect(readFileSync(join(home, "index.db")).length).toBeGreaterThan(0);
  });
});

describe("doctor --repair", () => {
  it("rebuilds the index from the book, and so does a query that finds it damaged", async () => {
    const { roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const flags = flagsOf(roots, home);
    const before = await run(["turns", "-j", ...flags]);
    const bytes = readFileSync(join(home, "index.db"));
    writeFileSync(join(home, "index.db"), bytes.fill(0xa5, 4096 * 3, 4096 * 30));
    const damaged = await run(["turns", "-j", "--no-sync", ...flags]);
    expect({ code: damaged.code, out: damaged.out }).toEqual({ code: 0, out: before.out });
    expect(damaged.err).toMatch(/^daybook: the index was damaged; made again from the book \(\d+ pages\)\n$/);
    const repaired = await run(["doctor", "--repair", "-j", ...flags]);
    expect(repaired.code).toBe(0);
    expect(repaired.err).toMatch(/rebuilt from \d+ pages/);
    expect((await run(["turns", "-j", ...flags])).out).toBe(before.out);
  });
});
