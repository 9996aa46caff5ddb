import { describe, expect, it } from "vitest";
import { fromCommand, fromText, fromToolCall } from "./settlement.ts";

const told = (text: string): string => {
  const { status, exitCode } = fromText(text);
  return exitCode === null ? status : `${status} ${exitCode}`;
};

describe("failures in the words of 0.20 to 0.36", () => {
  it.each([
    "failed in sandbox None with execution error: command timed out",
    'error: Failed to find expected lines ["x"] in /w/app.py',
    "error: ComputeReplacements(", // 0.42
    "error: Failed to read file to update /w/app.py: No such file or directory (os error 2)",
  ])("%s", (text) => {
    expect(fromText(text)).toMatchObject({ status: "failed", exitCode: null, error: text });
  });
});

describe("settlement", () => {
  it.each([
    ["Exit code: 0\nWall time: 0.1 seconds\nOutput:\nExit code: 9", "ok 0"],
    ["Exit code: 127\nWall time: 0 seconds\nTotal output lines: 2\nOutput:\nx", "failed 127"],
    ["Chunk ID: 1\nWall time: 0.0000 seconds\nProcess exited with code 3\nOutput:\n", "failed 3"],
    ["Wall time: 9.9 seconds\nProcess running with session ID 4242\nOutput:\n", "pending"],
    ['{"output":"x","metadata":{"exit_code":2,"duration_seconds":0.1}}', "failed 2"],
    ["Script completed\nWall time 0.1 seconds\nOutput:\nScript failed", "ok"],
    ["Script failed\nWall time 0.0 seconds\nOutput:\nScript error:\nSyntaxError: x", "failed"],
    ["Script running with cell ID 3\nWall time 30.0 seconds\nOutput:\n", "pending"],
    ["aborted by user after 5.1s", "interrupted"],
    ["Wall time: 4.0 seconds\naborted by user", "interrupted"],
    ["exec command rejected by user", "denied"],
    ["patch rejected: writing outside of the project; rejected by user approval settings", "denied"],
    ["unsupported call: no_such_tool", "failed"],
    ["failed to parse function arguments: EOF", "failed"],
    ["apply_patch verification failed: Failed to find expected lines", "failed"],
    ["code-mode host closed its stdout", "failed"],
    ["Plan updated", "ok"],
    ['{"answers":{"colour":{"answers":["Blue"]}}}', "ok"],
    ["L1: the user said it was rejected by user", "ok"],
  ])("of %j", (text, expected) => expect(told(text)).toBe(expected));

  it("reads structured results before words", () => {
    expect(fromCommand({ status: "completed", exit_code: 2 })?.status).toBe("failed");
    expect(fromCommand({ status: "declined" })?.status).toBe("denied");
    expect(fromCommand({ status: "completed", exit_code: 0, duration: { secs: 1, nanos: 5e8 } })?.durationMs).toBe(
      1500,
    );
    expect(fromToolCall({ result: { Ok: { isError: true } } })?.status).toBe("failed");
    expect(fromToolCall({ result: { Err: "boom" } })).toMatchObject({ status: "failed", error: "boom" });
    expect(fromToolCall({ result: { Ok: { content: [] } } })?.status).toBe("ok");
  });
});
