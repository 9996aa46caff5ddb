import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { A, CA, CU, E, folder, M, R, write } from "../cases/build.ts";
import { run } from "../cases/workspace.ts";

let previousUmask = 0;
beforeAll(() => void (previousUmask = process.umask(0)));
afterAll(() => void process.umask(previousUmask));

/** Everything in a directory, and the directory itself, that other users could read or write. */
function accessibleToOthers(dir: string): string[] {
  const names = ["", ...readdirSync(dir, { recursive: true, encoding: "utf8" })];
  return names.filter((name) => (lstatSync(join(dir, name)).mode & 0o077) !== 0);
}

it.skipIf(process.platform === "win32")(
  "files that Daybook writes are accessible to their owner only, whatever the umask",
  async () => {
    const base = folder();
    const [codex, claude, home] = [join(base, "codex"), join(base, "claude"), join(base, "home")];
    // Long enough to be stored compressed, and with enough words to need a temporary file.
    const long = "word ".repeat(2_000_000);
    write(join(codex, "rollout-a.jsonl"), [M("a", { cwd: "/nowhere/app" }), R("ask"), E("ask"), A(long)]);
    write(join(claude, "projects/p/00000000-0000-4000-8000-00000000000a.jsonl"), [
      CU("ask"),
      CA("done", { output: 5 }),
    ]);
    const roots = ["--root", `codex=${codex}`, "--root", `claude-code=${claude}`, "--home", home];
    for (const words of [["sync"], ["report"], ["search", "word"], ["prepare", "--date", "2026-05-12"]])
      expect([words, (await run([...words, ...roots], {})).code]).toEqual([words, 0]);
    expect((await run(["collect", "--date", "2026-05-12", "--home", home], {})).code).toBe(0);
    expect(readdirSync(home)).toEqual(expect.arrayContaining(["book", "collections", "index.db", "private", "work"]));
    expect(accessibleToOthers(home)).toEqual([]);
  },
);

it.skipIf(process.platform === "win32")(
  "in a home directory that others may read, the files are still private",
  async () => {
    const base = folder();
    const home = join(base, "shared");
    mkdirSync(home, { mode: 0o755 });
    write(join(base, "codex/rollout-a.jsonl"), [M("a", { cwd: "/nowhere/app" }), R("ask"), E("ask"), A("done")]);
    await run(["sync", "--root", `codex=${join(base, "codex")}`, "--home", home], {});
    expect(accessibleToOthers(home)).toEqual([""]);
  },
);
