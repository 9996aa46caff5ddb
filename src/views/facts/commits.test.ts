import { describe, expect, it } from "vitest";
import { expectLinear } from "../../../test/linear.ts";
import { CommitTracker, type Commit } from "./commits.ts";
import { gitSteps } from "./git-steps.ts";

/** The commits of consecutive calls of one session. */
function all(...calls: [command: string, output?: string, ok?: boolean][]): Commit[] {
  const tracker = new CommitTracker();
  return calls.flatMap(([command, output = "", ok = true]) => tracker.take(gitSteps(command), output, ok, 7));
}

const one = (command: string, output = "", ok = true): Commit[] => all([command, output, ok]);

describe("commits", () => {
  it("are read from the output of git", () => {
    const output = "[main 1a2b3c4] Fix the tide table\n 2 files changed, 3 insertions(+)";
    expect(one('git commit -am "Fix the tide table"', output)).toEqual([
      { hash: "1a2b3c4", branch: "main", subject: "Fix the tide table", amended: false, line: 7 },
    ]);
    expect(one("cd x && git -C y -c user.name=a commit -m b", "[main (root-commit) abcdef0] b")).toMatchObject([
      { hash: "abcdef0", branch: "main" },
    ]);
    expect(one("git commit --amend --no-edit", "[detached HEAD abcdef0] c")).toMatchObject([
      { branch: null, amended: true },
    ]);
  });

  it("count even if a later command of the same call failed", () => {
    expect(one("git commit -m a && git push", "[main abcdef0] a\nerror: failed to push some refs", false)).toHaveLength(
      1,
    );
    expect(one("git commit -qm a && git push", "error: failed to push some refs to 'x'", false)).toMatchObject([
      { subject: "a", hash: null },
    ]);
  });

  it.each<[command: string, subject: string | null]>([
    ['git commit -qam "Remove \\"it\\""', 'Remove "it"'],
    ["git add . && git commit -q -m 'One line'", "One line"],
    ["git commit -q -m \"$(cat <<'EOF'\nSubject here\n\nBody costs $5\nEOF\n)\"", "Subject here"],
    ["git commit -q -F - <<'MSG'\nSubject of the file\n\nBody\nMSG", "Subject of the file"],
    ["git commit -q --file=- <<EOF\nSubject\nEOF", "Subject"],
    ["git commit -q -F - <<EOF\n$TITLE\nEOF", null],
    ['MSG="Set before"; git commit -qm "$MSG"', "Set before"],
    ['git commit -qm "$MSG"', null],
    ['git commit -qm "release ${V}"', null],
    ['git commit -qm "first" -m "second"', "first"],
    ["git commit -q --message=long", "long"],
    ["git commit -qmjoined", "joined"],
    ['git commit -q -m "$(printf "Title\\n\\nBody")"', "Title"],
    ["git commit -q -F message.txt", null],
    ["git commit -q -C HEAD~1", null],
    ["bash -lc 'git commit -qm inside'", "inside"],
    ["git -C sub commit -qm 'elsewhere; not here'", "elsewhere; not here"],
  ])("with --quiet have the subject of the message in the command: %s", (command, subject) => {
    expect(one(command)).toEqual([{ hash: null, branch: null, subject, amended: false, line: 7 }]);
  });

  it.each<[command: string, output: string]>([
    ["git commit -qm a && git rev-parse --short HEAD", "abcdef0"],
    ["git commit -qm a && git push -q && git rev-parse HEAD", "abcdef0"],
    ["git commit -qm a && git log --oneline -1", "abcdef0 a"],
    ["git commit -qm a && git log -1 --oneline --decorate", "abcdef0 (HEAD -> main, origin/main) a"],
    ["git commit -qm a; git log --oneline -3", "abcdef0 a\n1234567 before\n7654321 first"],
    ["git commit -qm a && git log -1 --format=%h", "abcdef0"],
    ["git commit -qm a && git push", "To github.com:x/y.git\n   1234567..abcdef0  main -> main"],
    ["git commit -qm a && git status -sb && git rev-parse --short HEAD", "## main\nabcdef0"],
  ])("with --quiet have the hash that a later command of the same call prints: %s", (command, output) => {
    expect(one(command, output)).toMatchObject([{ hash: "abcdef0", subject: "a" }]);
  });

  it("with --quiet have the hash that a later call prints", () => {
    expect(all(["git commit -qm a"], ["git rev-parse --short HEAD", "abcdef0"])).toMatchObject([{ hash: "abcdef0" }]);
    expect(
      all(["git commit -qm a"], ["npm test", "1234567"], ["git push", "   1234567..abcdef0  main -> main"]),
    ).toMatchObject([{ hash: "abcdef0" }]);
    expect(
      all(["git commit -qm a"], ["git commit -qm b"], ["git log --oneline -5", "2222222 b\n1111111 a"]),
    ).toMatchObject([
      { subject: "a", hash: "1111111" },
      { subject: "b", hash: "2222222" },
    ]);
    const log = `commit ${"a1".repeat(20)} (HEAD -> main)\nAuthor: A <a@example.test>\nDate:   now\n\n    told now\n\n    body`;
    expect(all(["git commit -q --amend --no-edit"], ["git log -1", log])).toMatchObject([
      { subject: "told now", hash: "a1".repeat(20), amended: true },
    ]);
  });

  it("have no hash if the printed one may belong to another commit", () => {
    const hash = (...calls: Parameters<typeof all>): unknown => all(...calls)[0]?.hash;
    expect(hash(["git commit -qm a"], ["git checkout -q x && git rev-parse HEAD", "abcdef0"])).toBeNull();
    expect(hash(["git commit -qm a"], ["git reset -q --hard x"], ["git rev-parse HEAD", "abcdef0"])).toBeNull();
    expect(hash(["git commit -qm a"], ["git commit -qm b && git rev-parse HEAD", "abcdef0"])).toBeNull();
    expect(hash(["git commit -qm a"], ["git log --oneline -1", "abcdef0 b"])).toBeNull();
    expect(hash(["git rev-parse HEAD && git commit -qm a", "abcdef0"])).toBeNull();
    expect(hash(["git commit -qm a"], ["cat notes", "abcdef0"])).toBeNull();
  });

  it("are also made by cherry-pick, revert and merge", () => {
    expect(one("git cherry-pick abc1234", "[release 1111111] a\n Date: now")).toMatchObject([
      { hash: "1111111", subject: "a", branch: "release" },
    ]);
    expect(one("git revert --no-edit HEAD", '[main 2222222] Revert "a"')).toMatchObject([{ subject: 'Revert "a"' }]);
    expect(one("git merge --no-ff topic", "Merge made by the 'ort' strategy.\n a | 1 +")).toMatchObject([
      { hash: null, subject: "Merge branch 'topic'" },
    ]);
    expect(one("git merge topic", "Updating 1..2\nFast-forward\n a | 1 +")).toEqual([]);
    expect(one("git merge topic", "CONFLICT (content): Merge conflict in a", false)).toEqual([]);
    expect(
      one("git merge --squash topic && git commit -qm 'All of it'", "Squash commit -- not updating HEAD"),
    ).toMatchObject([{ subject: "All of it" }]);
    expect(one("git cherry-pick -n abc1234", "")).toEqual([]);
  });

  it("are not made by other commands, dry runs, failures, or nothing to commit", () => {
    expect(one("git log --grep commit", "[main abcdef0] a")).toEqual([]);
    expect(one('echo "git commit"', "git commit")).toEqual([]);
    expect(one('git log --grep="; git commit -m x"', "[main abcdef0] a")).toEqual([]);
    expect(one("git commit --dry-run -m a", "")).toEqual([]);
    expect(one("git commit -m a", "error: pathspec", false)).toEqual([]);
    expect(one("git commit -m a", "nothing to commit, working tree clean")).toEqual([]);
    expect(one("git commit -qm a; git status", "On branch main\nnothing to commit, working tree clean\n")).toEqual([]);
    expect(one("git commit -qm a; echo done", "husky - pre-commit hook exited with code 1\ndone")).toEqual([]);
    expect(one("git commit-tree abc", "")).toEqual([]);
  });

  it("are extracted in linear time from long, repetitive commands and outputs", () => {
    for (const unit of [
      ";git -c ",
      "\n",
      ";git -c -c --x ",
      "(git commit ",
      "[main ",
      "\n[a ",
      "commit ",
      "abcdef0 ",
    ]) {
      expectLinear(unit, 250_000, (text) => {
        one(`${text} git commit -m x`, text);
        one(`git commit -qm x; git log; git push; git rev-parse HEAD`, text);
      });
    }
  });
});
