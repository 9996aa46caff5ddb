import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { A, CA, CU, E, folder, M, R, write } from "../cases/build.ts";
import { run } from "../cases/workspace.ts";

let before = 0;
beforeAll(() => void (before = process.umask(0)));
afterAll(() => void process.umask(before));

/** Everything below a folder that others on the machine could read or write. */
function open(dir: string): string[] {
  const names = ["", ...readdirSync(dir, { recursive: true, encoding: "utf8" })];
  return names.filter((name) => (lstatSync(join(dir, name)).mode & 0o077) !== 0);
}

it.skipIf(process.platform === "win32")("what Daybook keeps is its owner's alone, whatever the umask", async () => {
  const base = folder();
  const [codex, claude, home] = [join(base, "codex"), join(base, "claude"), join(base, "home")];
  // Large enough to be kept compressed, and with words enough to wait in a file.
  const long = "word ".repeat(2_000_000);
  write(join(codex, "rollout-a.jsonl"), [M("a", { cwd: "/nowhere/app" }), R("ask"), E("ask"), A(long)]);
  write(join(claude, "projects/p/00000000-0000-4000-8000-00000000000a.jsonl"), [CU("ask"), CA("done", { output: 5 })]);
  const roots = ["--root", `codex=${codex}`, "--root", `claude-code=${claude}`, "--home", home];
  for (const words of [["sync"], ["report"], ["search", "word"], ["prepare", "--date", "2026-05-12"]])
    expect([words, (await run([...words, ...roots], {})).code]).toEqual([words, 0]);
  expect((await run(["collect", "--date", "2026-05-12", "--home", home], {})).code).toBe(0);
  expect(readdirSync(home)).toEqual(expect.arrayContaining(["book", "collections", "index.db", "private", "work"]));
  expect(open(home)).toEqual([]);
});

it.skipIf(process.platform === "win32")(
  "a home that others may read is not opened further, and its files stay private",
  async () => {
    const base = folder();
    const home = join(base, "shared");
    mkdirSync(home, { mode: 0o755 });
    write(join(base, "codex/rollout-a.jsonl"), [M("a", { cwd: "/nowhere/app" }), R("ask"), E("ask"), A("done")]);
    await run(["sync", "--root", `codex=${join(base, "codex")}`, "--home", home], {});
    expect(open(home)).toEqual([""]);
  },
);
