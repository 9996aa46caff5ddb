import { spawn, type ChildProcess } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { acquireLock } from "./write-lock.ts";
import { readLog } from "./reader.ts";
import { LogWriter } from "./writer.ts";

const KILLS = 10;
const MODULES = [
  "base/errors",
  "base/io/disk",
  "base/io/json",
  "record/record",
  "record/shape",
  "record/short-forms",
  "record/schema",
  "record/write-lock",
  "record/header",
  "record/recovery",
  "record/writer",
];

/** Opens the log, prints `open`, then appends batches of three and prints after each the last seq that is written. */
const CHILD = `
import { LogWriter } from "./record/writer.js";
const [path, go] = process.argv.slice(2);
let writer;
try { writer = LogWriter.open(path, "s"); } catch (error) { console.log("refused " + error.message); process.exit(0); }
console.log("open " + writer.nextSeq);
const rec = (body) => ({ time: null, origin: {}, body });
if (writer.nextSeq === 0) writer.append([rec({ type: "session_meta", source: "x", kind: "root", cwd: null, started_at: null, agent_version: null })]);
const text = (n) => ({ type: "reasoning_finished", text: "é".repeat(n) });
const beat = () => {
  for (let i = 0; i < 50; i++) {
    writer.append([rec(text(10)), rec(text(Math.floor(Math.random() * 50000))), rec(text(0))]);
    process.stdout.write("ack " + (writer.nextSeq - 1) + "\\n");
  }
  setImmediate(beat);
};
if (go === "loop") beat(); else setInterval(() => {}, 1000);
`;

let dir = "";
let path = "";
beforeAll(() => {
  // The child runs on plain Node, so it gets the writer as JavaScript.
  dir = mkdtempSync(join(tmpdir(), "daybook-crash-"));
  for (const directory of ["base/io", "record"]) mkdirSync(join(dir, directory), { recursive: true });
  writeFileSync(join(dir, "package.json"), `{"type":"module"}`);
  symlinkSync(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(dir, "node_modules"));
  for (const name of [...MODULES, "record/fields"]) {
    const source = readFileSync(fileURLToPath(new URL(`../${name}.ts`, import.meta.url)), "utf8");
    const compilerOptions = {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    };
    writeFileSync(join(dir, `${name}.js`), ts.transpileModule(source, { compilerOptions }).outputText);
  }
  writeFileSync(join(dir, "child.js"), CHILD);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
beforeEach(() => {
  path = join(mkdtempSync(join(dir, "case-")), "s.jsonl");
});

interface Run {
  child: ChildProcess;
  output: () => string;
  until: (text: string) => Promise<void>;
  exited: Promise<void>;
}

function start(mode: string): Run {
  const child = spawn(process.execPath, [fileURLToPath(pathToFileURL(join(dir, "child.js"))), path, mode], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const until = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => (output.includes(text) ? resolve() : undefined);
      child.stdout?.on("data", check);
      void exited.then(() => (output.includes(text) ? resolve() : reject(new Error(`child ended: ${output}`))));
      check();
    });
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return { child, output: () => output, until, exited };
}

describe("a writer that is killed", () => {
  it(`loses no acknowledged record, ${KILLS} times in a row`, async () => {
    let expected = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const run = start("loop");
      await run.until("ack ");
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
      run.child.kill("SIGKILL");
      await run.exited;
      const acked = Number(/ack (\d+)\n(?![\s\S]*ack \d+\n)/.exec(run.output())?.[1]);
      expect(Number(/open (\d+)/.exec(run.output())?.[1])).toBeGreaterThanOrEqual(expected);
      const reading = readLog(path);
      let last = -1;
      for (const record of reading) expect(record.seq).toBe(++last);
      expect(last).toBeGreaterThanOrEqual(acked);
      // A kill may leave no damage other than a truncated last write.
      expect(Object.keys(reading.counts).filter((code) => code !== "line_torn")).toEqual([]);
      expect(existsSync(`${path}.lock`)).toBe(true);
      expected = last + 1;
    }
    const writer = LogWriter.open(path, "s");
    expect(writer.nextSeq).toBe(expected);
    writer.close();
  });
});

describe("writers of one log", () => {
  it("in one process: the second is refused until the first closes", () => {
    const first = LogWriter.open(path, "s");
    expect(() => LogWriter.open(path, "s")).toThrow(/being written by process \d+/);
    first.close();
    LogWriter.open(path, "s").close();
  });

  it("in two processes: the second is refused while the first lives", async () => {
    const run = start("idle");
    await run.until("open");
    expect(() => LogWriter.open(path, "s")).toThrow(`being written by process ${run.child.pid}`);
    run.child.kill("SIGKILL");
    await run.exited;
    LogWriter.open(path, "s").close();
  });

  it("racing for a dead writer's lock: exactly one gets it", async () => {
    for (let round = 0; round < 3; round++) {
      writeFileSync(
        `${path}.lock`,
        JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), started: "1", token: "dead" }),
      );
      const runs = Array.from({ length: 5 }, () => start("idle"));
      await Promise.all(runs.map((run) => Promise.race([run.until("open"), run.until("refused")].map(quiet))));
      expect(runs.filter((run) => run.output().includes("open"))).toHaveLength(1);
      for (const run of runs) run.child.kill("SIGKILL");
      await Promise.all(runs.map((run) => run.exited));
    }
  });

  it("take over the lock of a process whose id is reused, but not the lock of another host", () => {
    const lock = { pid: process.pid, host: hostname(), started: "1", token: "old" };
    if (process.platform === "linux") {
      writeFileSync(`${path}.lock`, JSON.stringify(lock));
      LogWriter.open(path, "s").close();
    }
    writeFileSync(`${path}.lock`, JSON.stringify({ ...lock, pid: 1, host: "elsewhere.invalid" }));
    expect(() => LogWriter.open(path, "s")).toThrow("elsewhere.invalid");
  });

  it("take over the lock of another host if its time is too far in the past or in the future", () => {
    const lock = JSON.stringify({ pid: 1, host: "elsewhere.invalid", started: "1", token: "old" });
    const now = Date.now() / 1000;
    for (const [ago, isTaken] of [
      [0, false],
      [100, false],
      [200, true],
      // The clock was set back in the meantime.
      [-100, false],
      [-4000, true],
    ] as const) {
      writeFileSync(`${path}.lock`, lock);
      utimesSync(`${path}.lock`, now - ago, now - ago);
      if (isTaken) LogWriter.open(path, "s").close();
      else expect(() => LogWriter.open(path, "s"), String(ago)).toThrow("elsewhere.invalid");
    }
  });

  it("update the lock file while working, and stop if the lock was taken by another", () => {
    const at = `${path}.held`;
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const uptime = vi.spyOn(process, "uptime").mockReturnValue(0);
    try {
      const lock = acquireLock(at);
      const makeOld = (): void => utimesSync(at, 1, 1);
      const isUpdated = (): boolean => statSync(at).mtimeMs > 1000;
      // By the timer, and by explicit calls during long work that blocks timers.
      makeOld();
      vi.advanceTimersByTime(10_000);
      expect(isUpdated()).toBe(true);
      makeOld();
      lock.beat();
      expect(isUpdated()).toBe(false);
      uptime.mockReturnValue(11);
      lock.beat();
      expect(isUpdated()).toBe(true);
      writeFileSync(at, JSON.stringify({ pid: 7, host: "elsewhere.invalid", started: null, token: "other" }));
      uptime.mockReturnValue(22);
      expect(() => lock.beat()).toThrow("elsewhere.invalid");
      lock.release();
      expect(existsSync(at)).toBe(true);
    } finally {
      uptime.mockRestore();
      vi.useRealTimers();
    }
  });

  it("treat an empty lock as abandoned only after a while", () => {
    writeFileSync(`${path}.lock`, "");
    expect(() => LogWriter.open(path, "s")).toThrow("being written");
    utimesSync(`${path}.lock`, 1, 1);
    LogWriter.open(path, "s").close();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });
});

/** Ignores a rejection: each child prints only one of the two awaited words. */
async function quiet(promise: Promise<void>): Promise<void> {
  try {
    await promise;
  } catch {
    return;
  }
}
