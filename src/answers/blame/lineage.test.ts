import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { namesOf, type Move } from "./lineage.ts";
import { pathMapper, formerRoot } from "./former-paths.ts";
import { blameTarget } from "./target.ts";

const move = (from: string, to: string, time: number): Move => ({ from, to, time, seenLate: false });
const names = (path: string, moves: Move[]): string[] => namesOf(path, moves).map((name) => name.path);

describe("the names of a file", () => {
  it("include its names before moves of it or of its directory", () => {
    const moves = [move("/r/a.ts", "/r/b.ts", 1), move("/r/b.ts", "/r/lib", 2), move("/r/lib", "/r/src", 3)];
    expect(names("/r/src/b.ts", moves)).toEqual(["/r/src/b.ts", "/r/lib/b.ts", "/r/b.ts", "/r/a.ts"]);
    expect(names("/r/src/c.ts", [move("/r/b.ts", "/r/src", 2)])).toEqual(["/r/src/c.ts"]);
  });

  it("include those of both files if one was moved over the other", () => {
    const moves = [move("/r/a", "/r/b", 1), move("/r/b.tmp", "/r/b", 2)];
    expect(namesOf("/r/b", moves, () => true).map(({ path }) => path)).toEqual(["/r/b", "/r/b.tmp", "/r/a"]);
    expect(names("/r/b", moves)).toEqual(["/r/b", "/r/b.tmp"]);
  });

  it("are followed separately if two files were swapped", () => {
    const moves = [move("/a", "/t", 1), move("/b", "/a", 2), move("/t", "/b", 3)];
    expect(names("/a", moves)).toEqual(["/a", "/b"]);
    expect(names("/b", moves)).toEqual(["/b", "/t", "/a"]);
  });
});

describe("paths of a session", () => {
  it("are mapped to the repository from where it was at the time", () => {
    const at = (cwd: string | null, isOfProject: boolean, path: string): string | null =>
      pathMapper("/now/app", cwd === null ? null : formerRoot("/now/app", cwd, isOfProject))(path);
    expect(at(null, false, "/now/app/src/a.ts")).toBe("/now/app/src/a.ts");
    expect(at("/then/app/web", false, "/then/app/src/a.ts")).toBe("/now/app/src/a.ts");
    expect(at("/then/worktree", true, "/then/worktree/src/a.ts")).toBe("/now/app/src/a.ts");
    expect(at("/then/other", false, "/then/other/src/a.ts")).toBeNull();
    expect(at("/then/app", false, "/then/apple/a.ts")).toBeNull();
    // Worktrees: inside the repository, and one beside it that is gone.
    expect(at(null, false, "/now/app/.claude/worktrees/fix/src/a.ts")).toBe("/now/app/src/a.ts");
    expect(at("/now/app-fix", false, "/now/app-fix/src/a.ts")).toBe("/now/app/src/a.ts");
    expect(at("/now/apple", false, "/now/apple/src/a.ts")).toBeNull();
  });
});

describe("a blame target", () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "daybook-target-")));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it("is a file, optionally with a line or a range of lines", () => {
    expect(blameTarget("a.ts", dir)).toEqual({ path: join(dir, "a.ts"), lines: null, cwd: dir });
    expect(blameTarget("a.ts:12", dir).lines).toEqual([12, 12]);
    expect(blameTarget("a.ts:12-40", dir).lines).toEqual([12, 40]);
    writeFileSync(join(dir, "b:7"), "");
    expect(blameTarget("b:7", dir)).toEqual({ path: join(dir, "b:7"), lines: null, cwd: dir });
    for (const invalid of ["a.ts:0", "a.ts:9-8"]) expect(() => blameTarget(invalid, dir)).toThrow("no lines");
  });
});
