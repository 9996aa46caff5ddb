import { describe, expect, it } from "vitest";
import { checkOf, checkResultOf, saysFailed } from "./checks.ts";

const check = (command: string): unknown => checkOf("Bash", { command });

describe("checkOf", () => {
  it.each([
    "npm test -- payments",
    "npm run build",
    "pnpm --filter web lint",
    "yarn typecheck",
    "npx vitest run src/a.test.ts",
    "cd app && npx tsc --noEmit",
    "pytest -q tests/test_flags.py",
    "python3 -m pytest",
    "uv run pytest -q",
    "poetry run mypy .",
    "bundle exec rspec",
    "cargo test -q",
    "cargo +1.74 check",
    "cargo insta test",
    "go test ./...",
    "make",
    "make -C sub test",
    "./gradlew check",
    "mvn -q verify",
    "xcodebuild test -scheme TrailMate -quiet",
    "timeout 60 npm test",
    "bash -lc 'cargo clippy'",
    "./scripts/test.sh",
    "CI=1 npm run test:unit",
    "terraform plan",
    "npm t",
    "pnpm --filter web t",
    "python -m unittest discover",
    "./run_tests.sh --fast",
    "npm run unit_tests",
    "make lint_all",
  ])("recognises a check: %s", (command) => expect(check(command)).toEqual({ masked: false }));

  it.each([
    "npm test 2>&1 | tail -20",
    "make test || true",
    "pytest; git status",
    "cargo build 2>&1 | grep -c warning",
  ])("recognises a check whose exit code is masked by another command: %s", (command) =>
    expect(check(command)).toEqual({ masked: true }),
  );

  it.each([
    "npm install",
    "git commit -m 'fix the tests'",
    "rg -n test src",
    "cat build.log",
    "ls test",
    "test -f build",
    "vitest --version",
    "cargo run",
    "go run .",
    "echo make test",
    "python -c 'import test'",
    "npm install t",
    "npm run latest",
    "./testimonials.sh",
  ])("does not take other commands for a check: %s", (command) => expect(check(command)).toBeNull());
});

describe("the outcome of a check", () => {
  const ended = (status: string, output = "", exit_code: number | null = null, masked = false): unknown =>
    checkResultOf({ masked }, { status, exit_code, output });

  it("follows from status and exit code, or from the output if the exit code is masked", () => {
    expect(ended("ok")).toBe("ok");
    expect(ended("failed", "", 1)).toBe("failed");
    expect(ended("failed", "", 124)).toBe("timed_out");
    expect(ended("failed", "Exit code 143\nCommand timed out after 2m 0s", 143)).toBe("timed_out");
    expect(ended("interrupted")).toBe("interrupted");
    expect(ended("denied")).toBeNull();
    expect(ended("ok", "Tests: 2 failed, 10 passed", 0)).toBe("ok");
    expect(ended("ok", "Tests: 2 failed, 10 passed", 0, true)).toBe("failed");
  });

  it.each([
    "Tests: 2 failed, 10 passed, 12 total",
    "      Tests  1 failed | 3 passed (4)",
    "test result: FAILED. 66 passed; 1 failed",
    "==== 1 failed, 88 passed in 12.02s ====",
    "1 failed, 88 passed in 12.02s",
    "FAILED (failures=1)",
    "  2 failing",
    "--- FAIL: TestX (0.00s)",
    "error: could not compile `x` (lib) due to 1 previous error",
    "src/a.ts(1,2): error TS2322: Type",
    "make: *** [all] Error 2",
    "BUILD FAILED in 3s",
  ])("is a failure if the output contains: %s", (output) => expect(saysFailed(`some\n${output}\nmore`)).toBe(true));

  it.each([
    "Tests: 12 passed, 12 total",
    "0 failed, 3 passed",
    "test result: ok. 3 passed; 0 failed",
    "no failures",
    "# fail 0",
  ])("is no failure if the output is: %s", (output) => expect(saysFailed(output)).toBe(false));
});
