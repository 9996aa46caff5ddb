import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratch } from "../../../test/store/fixture.ts";
import { Git, GitTimeoutError } from "./git.ts";

/** A repository with one commit, and a pipe that nobody writes to. */
function repository(): { dir: string; pipe: string; git: (...words: string[]) => void } {
  const dir = scratch("git");
  const env = { PATH: process.env["PATH"], HOME: dir, GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=ann", "-c", "user.email=ann@example.com"];
  const git = (...words: string[]): void => void execFileSync("git", [...who, ...words], { cwd: dir, env });
  git("init", "-q");
  writeFileSync(join(dir, "a.txt"), "one\n");
  git("add", ".");
  git("commit", "-qm", "first");
  const pipe = join(dir, ".git", "pipe");
  execFileSync("mkfifo", [pipe]);
  return { dir, pipe, git };
}

describe("a repository that makes git wait for ever", () => {
  it("by its map of names is answered as if there were none", () => {
    const { dir, pipe, git } = repository();
    git("config", "mailmap.file", pipe);
    expect(Git.at(dir, 5000)?.ask("log", "--format=%aN")).toBe("ann\n");
  });

  it("by its list of ignored revisions is given up, with the reason", () => {
    const { dir, pipe, git } = repository();
    git("config", "blame.ignoreRevsFile", pipe);
    expect(() => Git.at(dir, 500)?.ask("blame", "--porcelain", "a.txt")).toThrow(GitTimeoutError);
  });

  it("by its list of other object stores is given up, with the reason", () => {
    const { dir, pipe } = repository();
    mkdirSync(join(dir, ".git", "objects", "info"), { recursive: true });
    execFileSync("mv", [pipe, join(dir, ".git", "objects", "info", "alternates")]);
    expect(() => Git.at(dir, 300)?.ask("log", "-1", "HEAD~5")).toThrow(GitTimeoutError);
  });
});
