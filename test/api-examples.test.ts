import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { A, E, M, R, TD, TS, write } from "./cases/build.ts";
import { scratch } from "./store/fixture.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Running {
  /** Waits for a line that contains the text. */
  line(text: string): Promise<string>;
  stop(): void;
  ended: Promise<{ code: number | null; out: string; err: string }>;
}

/** Starts an example program in a process of its own, with the built package. */
function start(name: string, args: readonly string[], home: string): Running {
  const env = { PATH: process.env["PATH"], HOME: home, TZ: "UTC" };
  const child = spawn(process.execPath, [join("examples", "api", name), ...args], { cwd: ROOT, env });
  let [out, err] = ["", ""];
  const waiting = new Set<() => void>();
  child.stdout.on("data", (part) => {
    out += String(part);
    for (const look of waiting) look();
  });
  child.stderr.on("data", (part) => (err += String(part)));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, out, err }));
  });
  const line = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = out.split("\n").find((one) => one.includes(text));
        if (found !== undefined) resolve(found);
      };
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`exited without "${text}": ${out}${err}`)));
    });
  return { line, ended, stop: () => void child.kill("SIGINT") };
}

async function run(name: string, args: readonly string[], home: string): Promise<string[]> {
  const { code, out, err } = await start(name, args, home).ended;
  expect({ name, code, err }).toEqual({ name, code: 0, err: "" });
  return out.trimEnd().split("\n");
}

describe("example programs in docs/api.md", () => {
  const home = scratch("home");
  beforeAll(() => {
    cpSync(join(ROOT, "samples/codex"), join(home, ".codex"), { recursive: true });
    cpSync(join(ROOT, "samples/claude-code"), join(home, ".claude"), { recursive: true });
  });

  it("list the turns of a day", async () => {
    const lines = await run("turns.js", ["2026-05-11"], home);
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines)
      expect(line).toMatch(/^2026-05-11T\S+Z {2}\S+ {2}(completed|aborted|failed|open) {2}(\$\d+\.\d\d|unknown) {2}./);
  });

  it("find a word and cite the line that contains it", async () => {
    const [first = ""] = await run("search.js", ["test"], home);
    const [, source, line] = /^(\S+)\/\S+:(\d+) {2}(?:T\d{4}|-) {2}\w+ {2}.*test/i.exec(first) ?? [];
    expect(["codex", "claude-code"]).toContain(source);
    expect(Number(line)).toBeGreaterThan(0);
  });

  it("print usage by model as CSV", async () => {
    const [head, ...rows] = await run("usage-csv.js", [], home);
    expect(head).toBe("month,model,input,cached,output,usd");
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) expect(row).toMatch(/^2026-\d\d,[^,]+,\d+,\d+,\d+,(\d+(\.\d+)?(e-\d+)?)?$/);
  });

  it("write a log and read it back", async () => {
    const text = (await run("write-log.js", [scratch("logs")], home)).join(" ");
    expect(text).toContain("asked: 'list the files'");
    expect(text).toMatch(/outcome: 'completed'.*calls: 1.*output: 30.*balanced$/);
  });

  it("report sessions that appear and change", async () => {
    const watchedHome = scratch("watched");
    const dir = join(watchedHome, ".codex", "sessions", "2026", "11", "15");
    mkdirSync(dir, { recursive: true });
    const path = write(join(dir, "rollout-live.jsonl"), [M("live"), TS("1"), R("hello"), E("hello")]);
    const watching = start("watch.js", [join(watchedHome, "book"), "0.05"], watchedHome);
    expect(await watching.line("appeared")).toBe("appeared  codex/live  open: hello");
    writeFileSync(path, [A("hi"), TD("1")].map((line) => `${JSON.stringify(line)}\n`).join(""), { flag: "a" });
    expect(await watching.line("changed")).toBe("changed  codex/live  completed: hello");
    watching.stop();
    expect(await watching.ended).toMatchObject({ code: 0, err: "" });
  });

  it("are printed in docs/api.md exactly as in examples/api", () => {
    const page = readFileSync(join(ROOT, "docs/api.md"), "utf8");
    const programs = [...page.matchAll(/```js (\S+)\n([^]*?)```/g)];
    expect(programs).toHaveLength(5);
    for (const [, path = "", text] of programs) expect(text).toBe(readFileSync(join(ROOT, path), "utf8"));
  });
});
