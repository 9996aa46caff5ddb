import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AnswerContext } from "../../src/answers/answer-context.ts";
import { SameRepository } from "../../src/answers/blaming.ts";
import { Git } from "../../src/base/io/git.ts";
import { scratch } from "../store/fixture.ts";

function repository(name: string): string {
  const dir = join(realpathSync(scratch(name)), "app");
  mkdirSync(dir);
  const git = (...words: string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.invalid", ...words], { cwd: dir });
  writeFileSync(join(dir, "f"), name);
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", name);
  return dir;
}

it("SameRepository recognises a repository by its first commit, not by its name", async () => {
  const [own, other] = [repository("own"), repository("other")];
  const clone = join(realpathSync(scratch("clone")), "called-otherwise");
  execFileSync("git", ["clone", "-q", own, clone]);
  // Existing directories are examined directly, so no sessions are needed.
  const same = new SameRepository({} as AnswerContext, Git.at(own));
  expect(await same.rootAt(clone)).toBe(clone);
  expect(await same.rootAt(other)).toBe(false);
  const bare = new SameRepository({} as AnswerContext, null);
  expect(await bare.rootAt(other)).toBe(false);
  expect(await bare.rootAt(join(other, "gone"))).toBeNull();
});
