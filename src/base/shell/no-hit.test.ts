import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectLinear } from "../../../test/linear.ts";
import { expectedExitOf, isExpectedOutput } from "./no-hit.ts";
import { commandOutput } from "./command-output.ts";

const expected = (command: string | string[], output = ""): boolean => {
  const answer = expectedExitOf("shell", { command });
  return answer !== null && isExpectedOutput(answer, output);
};

describe("exit code 1 is an expected answer", () => {
  it.each([
    "rg -n foo src",
    "grep -rn 'a && b' .",
    "/usr/bin/grep -q x y",
    "git grep foo",
    "git -C sub --no-pager grep -n foo",
    "diff a b",
    "diff -u <(sort a) <(sort b)",
    "git diff --quiet",
    "test -f x",
    "[ -d x ]",
    "[[ -n $X ]]",
    "cd x && rg foo",
    "cd x; rg foo",
    "cat x | grep foo",
    "find . -name '*.ts' | head -3 | rg foo",
    "rg foo 2>/dev/null",
    "rg foo > out.txt",
    "rg foo && echo found",
    "npm test; rg foo",
    "npm test || rg foo",
    "rg foo || rg bar",
    "ls -la\nrg foo",
    "(cd x && rg foo)",
    "{ rg foo; }",
    "bash -lc 'cd x && rg foo'",
    "timeout 10 rg foo",
    "LC_ALL=C env X=1 grep foo y",
    "for f in a b; do rg foo $f; done",
    "time rg foo",
    "set -o pipefail; rg foo | head",
    "git status && rg foo",
    "rg foo | grep bar |\n  grep baz",
    "cd x &&\nrg foo",
  ])("of: %s", (command) => expect(expected(command)).toBe(true));

  it("of a command given as a list of words", () => {
    expect(expected(["bash", "-lc", "rg foo"])).toBe(true);
    expect(expected(["rg", "foo; npm test"])).toBe(true);
  });

  it("of a script tool that runs a single command", () => {
    const one = 'const r = await tools.exec_command({"cmd":"rg foo"}); text(r.output);';
    expect(expectedExitOf("exec", one)).not.toBeNull();
    expect(expectedExitOf("exec", `${one} await tools.exec_command({"cmd":"rg bar"});`)).toBeNull();
  });

  it("of a command that printed no error", () => {
    expect(expected("diff a b", "1c1\n< a\n---\n> error: b")).toBe(true);
    expect(expected("git log -1; rg foo", "abc1234 First")).toBe(true);
  });
});

describe("exit code 1 is a failure", () => {
  it.each([
    "npm test",
    "npm test && rg foo",
    "rg foo && npm test",
    "rg foo; npm test",
    "rg foo | npm run read",
    "set -e; npm run build; rg foo",
    "bash -ec 'npm run build; rg foo'",
    "set -euo pipefail\nnpm run list | grep x",
    "! rg foo",
    "rg foo; exit 1",
    "if rg foo; then npm test; fi",
    "x=$(rg foo)",
    "find . | xargs grep foo",
    "rg foo &",
    "git diff",
    "git merge-base --is-ancestor a b && rg foo",
    "echo grep",
    "python -c 'import test'",
    "node --test",
    "sh script.sh test",
  ])("of: %s", (command) => expect(expected(command)).toBe(false));

  it.each([
    ["rg foo", "anything at all"],
    ["cd x && rg foo", "bash: line 1: cd: x: No such file or directory"],
    ["cd x && rg foo", "/bin/sh: 1: cd: can't cd to x"],
    ["npm test; rg foo", "error: 2 tests failed"],
    ["diff a b", "diff: a: No such file or directory"],
    ["git status && rg foo", "fatal: not a git repository"],
  ])("of: %s, if it printed: %s", (command, output) => expect(expected(command, output)).toBe(false));
});

describe("the output of a command", () => {
  it.each([
    "Exit code 1",
    "Chunk ID: 442af4\nWall time: 0.8410 seconds\nProcess exited with code 1\nOriginal token count: 1\nOutput:\n\n",
    "Exit code: 1\nWall time: 0 seconds\nOutput:\n",
    '{"output":"","metadata":{"exit_code":1,"duration_seconds":0.1}}',
    "\n\nCommand exited with code 1",
    "\n<shellId: 0 completed with exit code 1>",
    'Script completed\nWall time 0.1 seconds\nOutput:\n{"exit_code":1}',
    "Command: rg foo\nsecond line\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 1\nSignal: (none)\nProcess Group PGID: (none)",
  ])("is empty if the agent added everything: %s", (output) => expect(commandOutput(output)).toBe(""));

  it("is what remains without the text that the agent added", () => {
    expect(commandOutput("Exit code: 1\nWall time: 0 seconds\nOutput:\nabc\n")).toBe("abc");
    expect(commandOutput('{"output":"a\\nb","metadata":{}}')).toBe("a\nb");
  });
});

it("the parsers never throw, and take linear time on long, repetitive commands and outputs", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300, unit: fc.constantFrom(..."rg [;&|!()'\"$\n") }), (text) => {
      expectedExitOf("shell", { command: text });
    }),
    { numRuns: 2000 },
  );
  for (const unit of ["rg a;", "(rg ", "bash -c 'rg", "Command: \nOutput", "[", "rg | "]) {
    expectLinear(unit, 200_000, (text) => {
      const answer = expectedExitOf("shell", { command: text });
      if (answer) isExpectedOutput(answer, text);
      commandOutput(text);
    });
  }
});
