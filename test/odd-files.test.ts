import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../src/doors/cli/main.ts";
import { SOURCES } from "../src/agents/registry.ts";
import { copyCorpus, LABELS, open, scratch } from "./store/fixture.ts";

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<{ code: number; err: string }> {
  let err = "";
  const code = await main(args, {
    out: () => undefined,
    err: (text) => void (err += text),
    env: { HOME: "/nowhere", ...env },
    now: Date.UTC(2026, 11, 31),
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
  });
  return { code, err };
}

function makePipe(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync("mkfifo", [path]);
  return path;
}

// Opening a pipe for reading blocks until there is a writer: a test that opened one would never end.
describe.runIf(process.platform !== "win32")("a pipe or a device", () => {
  it.each(SOURCES.map(({ id }) => id))("is reported as unreadable if named as a root of %s", async (id) => {
    const path = makePipe(join(scratch("pipe"), "fifo"));
    for (const odd of [path, "/dev/zero"]) {
      const { code, err } = await run(["sessions", "--root", `${id}=${odd}`]);
      expect(code).toBe(3);
      const kind = odd === path ? "a pipe" : "a device";
      expect(err).toBe(`daybook: unreadable: ${odd}: ${kind}: sessions are in directories and files\n`);
    }
  });

  it("is refused as a configuration file, except /dev/null", async () => {
    const path = makePipe(join(scratch("pipe"), "config.toml"));
    expect(await run(["sessions", "--root", `pi=${scratch("empty")}`], { DAYBOOK_CONFIG: path })).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${path}: it is a pipe, not a file`) as string,
    });
    expect((await run(["sessions", "--root", `pi=${scratch("empty")}`], { DAYBOOK_CONFIG: "/dev/null" })).code).toBe(0);
    makePipe(join(dirname(path), "redact.toml"));
    const config = join(dirname(path), "none.toml");
    expect((await run(["sessions", "--root", `pi=${scratch("empty")}`], { DAYBOOK_CONFIG: config })).code).toBe(2);
  });

  it("is refused by validate", async () => {
    const path = makePipe(join(scratch("pipe"), "fifo"));
    expect((await run(["validate", path])).code).toBe(2);
  });

  it("among session files is reported, and all sessions are read", async () => {
    const { dir, roots } = copyCorpus(["pi-0.87.1", "codex-0.166.0", "claude-2.1.325"]);
    const before = (await open(roots).sessions()).length;
    const paths = ["pi-0.87.1", "codex-0.166.0", "claude-2.1.325"].map((label) => {
      const names = readdirSync(join(dir, label), { recursive: true, encoding: "utf8" });
      const session = names.filter((name) => /(?:rollout-|sessions\/|projects\/).*\.jsonl$/.test(name)).toSorted()[0];
      return makePipe(join(dir, label, dirname(session ?? ""), "rollout-2026-01-01T00-00-00-pipe.jsonl"));
    });
    const daybook = open(roots);
    expect((await daybook.sessions()).length).toBe(before);
    const found = (await daybook.problems()).filter(({ code }) => code === "file_unreadable");
    expect(found.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
  });

  it("beside session files does not block reading, under any name an agent uses", async () => {
    const { dir, roots } = copyCorpus();
    for (const label of LABELS) {
      const names = readdirSync(join(dir, label), { recursive: true, withFileTypes: true });
      const folders = [...new Set(names.filter((entry) => entry.isFile()).map((entry) => entry.parentPath))];
      for (const name of ["sessions-index.json", "history.jsonl", "workspace.yaml", "logs.json", "x.db", "x.meta.json"])
        for (const folder of folders.slice(0, 2)) {
          const path = join(folder, name);
          if (!readdirSync(folder).includes(name)) makePipe(path);
        }
    }
    const daybook = open(roots, scratch("book"));
    expect((await daybook.sessions()).length).toBeGreaterThan(100);
    await daybook.doctor();
    daybook.close();
  });
});
