import { describe, expect, it } from "vitest";
import { commitsOf } from "./commits.ts";

const one = (command: string, output = "", ok = true): unknown => commitsOf(command, output, ok, 7);

describe("commits", () => {
  it("are read from what git prints", () => {
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

  it("count although a later command of the call failed", () => {
    expect(one("git commit -m a && git push", "[main abcdef0] a\nerror: failed to push", false)).toHaveLength(1);
  });

  it("of a quiet command are known by the message it was given", () => {
    expect(one('git commit -qam "Remove \\"it\\""')).toMatchObject([{ hash: null, subject: 'Remove "it"' }]);
    expect(one("git add . && git commit -q -m 'One line'")).toMatchObject([{ subject: "One line" }]);
    expect(one("git commit -q -m \"$(cat <<'EOF'\nSubject here\n\nBody\nEOF\n)\"")).toMatchObject([
      { subject: "Subject here" },
    ]);
  });

  it("are not made by other commands, dry runs, failures, or nothing to commit", () => {
    expect(one("git log --grep commit", "[main abcdef0] a")).toEqual([]);
    expect(one('echo "git commit"', "git commit")).toEqual([]);
    expect(one("git commit --dry-run -m a", "")).toEqual([]);
    expect(one("git commit -m a", "error: pathspec", false)).toEqual([]);
    expect(one("git commit -m a", "nothing to commit, working tree clean")).toEqual([]);
    expect(one("git commit-tree abc", "")).toEqual([]);
  });

  it("are looked for in linear time", () => {
    for (const unit of [";git -c ", "\n", ";git -c -c --x ", "(git commit ", "[main ", "\n[a "]) {
      const text = unit.repeat(1_000_000 / unit.length);
      const begun = performance.now();
      one(`${text} git commit -m x`, text);
      one(text, text);
      expect(performance.now() - begun, unit).toBeLessThan(3000);
    }
  });
});
