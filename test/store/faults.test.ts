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
/** File modes do not restrict root, so the program is run as the user `nobody` if the tests run as root. */
const NOBODY = 65_534;

const readOnlyHomes: string[] = [];
afterAll(() => {
  for (const path of readOnlyHomes) setModes(path, 0o755);
});

function setModes(path: string, directoryMode: number): void {
  chmodSync(path, directoryMode);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) setModes(inner, directoryMode);
    else chmodSync(inner, 0o444);
  }
}

/** A copy of the home that everybody may read and nobody write. */
function readOnlyCopy(home: string): string {
  const dir = mkdtempSync(join(tmpdir(), "daybook-read-only-"));
  chmodSync(dir, 0o755);
  const copy = join(dir, "home");
  cpSync(home, copy, { recursive: true, preserveTimestamps: true });
  setModes(copy, 0o555);
  readOnlyHomes.push(copy);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  return copy;
}

async function runAsNobody(args: readonly string[]): Promise<Ran> {
  const env = { PATH: process.env["PATH"], HOME: "/nowhere", TZ: "UTC", NO_COLOR: "1" };
  return ended(spawn(process.execPath, [BIN, ...args], { env, ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) }));
}

describe.runIf(process.platform !== "win32")("a read-only home", () => {
  it("answers from what was read before, with one note, and makes sync and prepare fail", async () => {
    const { dir, roots } = copyCorpus(["codex-0.130.0-tui"]);
    for (const path of [dir, tmpdir()]) chmodSync(path, 0o755);
    const home = scratch("home");
    const before = await run(["turns", "-j", ...flagsOf(roots, home)]);
    const readOnly = readOnlyCopy(home);
    const flags = flagsOf(roots, readOnly);
    const note = `daybook: ${readOnly} cannot be written; answering from what was read before\n`;
    expect(await runAsNobody(["turns", "-j", ...flags])).toEqual({ ...before, err: note });
    // A new session, which cannot be stored.
    write(join(dir, "codex-0.130.0-tui", "sessions", "2026", "rollout-new.jsonl"), [M("new")]);
    expect(await runAsNobody(["turns", "-j", ...flags])).toEqual({ ...before, err: note });
    expect(await runAsNobody(["turns", "-j", "--no-sync", ...flags])).toEqual({ ...before, err: note });
    const report = await runAsNobody(["report", ...flags]);
    expect({ code: report.code, err: report.err }).toEqual({ code: 0, err: note });
    const sync = await runAsNobody(["sync", ...flags]);
    expect({ code: sync.code, err: sync.err.split("\n")[0] }).toEqual({
      code: 1,
      err: `daybook: ${readOnly} cannot be written`,
    });
    // Without `work`, the directory of a day cannot be created; with it, its lock cannot.
    mkdirSync(join(home, "work"));
    for (const copy of [readOnly, readOnlyCopy(home)]) {
      const prepared = await runAsNobody(["prepare", "--date", "2026-11-15", ...flagsOf(roots, copy)]);
      expect({ code: prepared.code, err: prepared.err.split("\n")[1] }).toEqual({
        code: 1,
        err: `daybook: ${join(copy, "work")} cannot be written`,
      });
    }
    // Without a book, the answer comes from the session files.
    const none = join(dirname(readOnly), "none");
    const direct = await runAsNobody(["sessions", "-j", ...flagsOf(roots, none)]);
    expect(direct.code).toBe(0);
    expect(direct.out).toContain('"new"');
  });
});

describe("a full disk", () => {
  it("is reported with the path and the bytes needed, and queries are still answered", async () => {
    const { roots } = copyCorpus(["claude-2.1.325"]);
    const home = scratch("home");
    const flags = flagsOf(roots, home);
    const fullPaths = new Set<string>();
    let noted = 0;
    // A file size limit simulates the full disk: every write beyond it fails, also in the middle of a record.
    for (const kilobytes of [1, 40, 900, 1400]) {
      const ran = await run(["sync", ...flags], `trap '' XFSZ; ulimit -f ${kilobytes}`);
      if (ran.code === 0) continue;
      expect(ran.err).toMatch(/^daybook: disk full: no room for \d+ bytes in \S+\n {2}\d+ bytes are free; make room/);
      fullPaths.add(/ in (\S+)/.exec(ran.err)?.[1]?.slice(home.length) ?? "");
      const withoutSync = await run(["sessions", "-j", "--no-sync", ...flags]);
      expect(withoutSync.code).toBe(0);
      expect(withoutSync.err).toMatch(/incomplete|^$/);
      // A query that finds something new is answered as well.
      const withSync = await run(["sessions", "-j", ...flags], `trap '' XFSZ; ulimit -f ${kilobytes}`);
      expect(withSync.code).toBe(0);
      expect(withSync.err).toMatch(/^(?:daybook: disk full: .*; answering from what was read before\n)?$/);
      if (withSync.err !== "") noted++;
    }
    expect(fullPaths.size).toBeGreaterThan(1);
    expect(noted).toBeGreaterThan(0);
    const done = await run(["sync", ...flags]);
    expect({ code: done.code, err: done.err }).toEqual({ code: 0, err: "" });
    expect((await run(["sessions", "-j", "--no-sync", ...flags])).err).toBe("");
  });
});

describe("an unfinished sync", () => {
  it("is noted by a query with --no-sync, until the next sync", async () => {
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
  it("exits with 3 every time while a session has an unreadable line, and so do queries", async () => {
    const { dir, roots } = copyCorpus(["pi-0.87.1"]);
    const home = scratch("home");
    const flags = flagsOf(roots, home);
    const [some] = readdirSync(join(dir, "pi-0.87.1"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".jsonl"),
    );
    if (some === undefined) expect.fail("no session");
    const path = join(dir, "pi-0.87.1", some);
    writeFileSync(path, "{ this is broken }\n", { flag: "a" });
    const said: string[] = [];
    for (const command of ["sync", "sessions", "sync", "audit"]) {
      const { code, err } = await run([command, "-j", ...flags]);
      expect({ command, code }).toEqual({ command, code: 3 });
      said.push(err);
    }
    // Said in words once a day.
    expect(said.filter((text) => text.includes(some.split("/").at(-1) ?? ""))).toHaveLength(1);
  });
});
