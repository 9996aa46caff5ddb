import { mkdirSync, chmodSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { M, write } from "../cases/build.ts";
import { ended, flagsOf, run, type Ran } from "./cli.ts";
import { copyCorpus, scratch } from "./fixture.ts";

const BIN = fileURLToPath(new URL("../../bin/daybook.js", import.meta.url));
const isRoot = process.getuid?.() === 0;
/** Nobody may forbid anything to root: then the program is run as nobody. */
const NOBODY = 65_534;

const opened: string[] = [];
afterAll(() => {
  for (const path of opened) allow(path, 0o755);
});

function allow(path: string, directories: number): void {
  chmodSync(path, directories);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) allow(inner, directories);
    else chmodSync(inner, 0o444);
  }
}

/** A home that everybody may read and nobody write. */
function seal(home: string): string {
  const dir = mkdtempSync(join(tmpdir(), "daybook-read-only-"));
  chmodSync(dir, 0o755);
  const copy = join(dir, "home");
  cpSync(home, copy, { recursive: true, preserveTimestamps: true });
  allow(copy, 0o555);
  opened.push(copy);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  return copy;
}

async function runAsNobody(args: readonly string[]): Promise<Ran> {
  const env = { PATH: process.env["PATH"], HOME: "/nowhere", TZ: "UTC", NO_COLOR: "1" };
  return ended(spawn(process.execPath, [BIN, ...args], { env, ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) }));
}

describe.runIf(process.platform !== "win32")("a home that can only be read", () => {
  it("answers from what is there, and says so once", async () => {
    const { dir, roots } = copyCorpus(["codex-0.130.0-tui"]);
    for (const path of [dir, tmpdir()]) chmodSync(path, 0o755);
    const home = scratch("home");
    const before = await run(["turns", "-j", ...flagsOf(roots, home)]);
    const sealed = seal(home);
    const flags = flagsOf(roots, sealed);
    const said = `daybook: ${sealed} cannot be written; answering from what was read before\n`;
    expect(await runAsNobody(["turns", "-j", ...flags])).toEqual({ ...before, err: said });
    // Something new, which cannot be kept.
    write(join(dir, "codex-0.130.0-tui", "sessions", "2026", "rollout-new.jsonl"), [M("new")]);
    expect(await runAsNobody(["turns", "-j", ...flags])).toEqual({ ...before, err: said });
    expect(await runAsNobody(["turns", "-j", "--no-sync", ...flags])).toEqual({ ...before, err: said });
    const report = await runAsNobody(["report", ...flags]);
    expect({ code: report.code, err: report.err }).toEqual({ code: 0, err: said });
    const sync = await runAsNobody(["sync", ...flags]);
    expect({ code: sync.code, err: sync.err.split("\n")[0] }).toEqual({
      code: 1,
      err: `daybook: ${sealed} cannot be written`,
    });
    // For a day's folder there is no place; where others stand already, no lock can be made.
    mkdirSync(join(home, "work"));
    for (const closed of [sealed, seal(home)]) {
      const prepared = await runAsNobody(["prepare", "--date", "2026-11-15", ...flagsOf(roots, closed)]);
      expect({ code: prepared.code, err: prepared.err.split("\n")[1] }).toEqual({
        code: 1,
        err: `daybook: ${join(closed, "work")} cannot be written`,
      });
    }
    // Where nothing was ever kept, the files themselves answer.
    const none = join(dirname(sealed), "none");
    const direct = await runAsNobody(["sessions", "-j", ...flagsOf(roots, none)]);
    expect(direct.code).toBe(0);
    expect(direct.out).toContain('"new"');
  });
});

describe("a disk that is full", () => {
  it("is told with the path and the bytes wanted, and the book as partial", async () => {
    const { roots } = copyCorpus(["claude-2.1.325"]);
    const home = scratch("home");
    const flags = flagsOf(roots, home);
    const places = new Set<string>();
    let noted = 0;
    // The limit stands for the disk: every write beyond it fails, also in the middle of a record.
    for (const kilobytes of [1, 40, 900, 1400]) {
      const ran = await run(["sync", ...flags], `trap '' XFSZ; ulimit -f ${kilobytes}`);
      if (ran.code === 0) continue;
      expect(ran.err).toMatch(/^daybook: disk full: no room for \d+ bytes in \S+\n {2}\d+ bytes are free; make room/);
      places.add(/ in (\S+)/.exec(ran.err)?.[1]?.slice(home.length) ?? "");
      const answer = await run(["sessions", "-j", "--no-sync", ...flags]);
      expect(answer.code).toBe(0);
      expect(answer.err).toMatch(/incomplete|^$/);
      // A question that finds something new is answered all the same.
      const asked = await run(["sessions", "-j", ...flags], `trap '' XFSZ; ulimit -f ${kilobytes}`);
      expect(asked.code).toBe(0);
      expect(asked.err).toMatch(/^(?:daybook: disk full: .*; answering from what was read before\n)?$/);
      if (asked.err !== "") noted++;
    }
    expect(places.size).toBeGreaterThan(1);
    expect(noted).toBeGreaterThan(0);
    const done = await run(["sync", ...flags]);
    expect({ code: done.code, err: done.err }).toEqual({ code: 0, err: "" });
    expect((await run(["sessions", "-j", "--no-sync", ...flags])).err).toBe("");
  });

  it("that a sync met leaves a book that says it is partial", async () => {
    const { roots } = copyCorpus(["pi-0.87.1"]);
    const home = scratch("home");
    const flags = flagsOf(roots, home);
    await run(["sync", ...flags]);
    writeFileSync(join(home, "sync.unfinished"), "");
    const { code, err } = await run(["sessions", "-j", "--no-sync", ...flags]);
    expect({ code, err }).toEqual({
      code: 0,
      err: "daybook: the book is incomplete: a sync is running or was interrupted\n",
    });
    expect((await run(["sessions", "-j", ...flags])).err).toBe("");
  });
});

describe("sync", () => {
  it("exits with 3 when something was unreadable, every time it looks", async () => {
    const { dir, roots } = copyCorpus(["pi-0.87.1"]);
    const home = scratch("home");
    const flags = flagsOf(roots, home);
    const [some] = readdirSync(join(dir, "pi-0.87.1"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".jsonl"),
    );
    if (some === undefined) expect.fail("no session");
    const whole = join(dir, "pi-0.87.1", some);
    writeFileSync(whole, "{ this is broken }\n", { flag: "a" });
    for (const command of ["sync", "sessions", "sync", "audit"]) {
      const { code, err } = await run([command, "-j", ...flags]);
      expect({ command, code }).toEqual({ command, code: 3 });
      expect(err).toContain(some.split("/").at(-1));
    }
  });
});
