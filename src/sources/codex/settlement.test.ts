import { describe, expect, it } from "vitest";
import { fromCommand, fromPatch, fromText, fromToolCall } from "./settlement.ts";

const settled = (text: string): string => {
  const { status, exitCode } = fromText(text);
  return exitCode === null ? status : `${status} ${exitCode}`;
};

describe("failure texts of 0.20 to 0.42", () => {
  it.each([
    "failed in sandbox None with execution error: command timed out",
    'error: Failed to find expected lines ["x"] in /w/app.py',
    "error: ComputeReplacements(", // 0.42
    "error: Failed to read file to update /w/app.py: No such file or directory (os error 2)",
  ])("are settled as failed: %s", (text) => {
    expect(fromText(text)).toMatchObject({ status: "failed", exitCode: null, error: text });
  });
});

const rustError = (message: string): string =>
  `exec_command failed for \`/bin/bash -lc 'one\ntwo'\`: CreateProcess { message: "Rejected(\\"${message}\\")" }`;

describe("refusal texts", () => {
  it.each([
    // From genuine sessions.
    "approval policy is Never; reject command — you cannot ask for escalated permissions if the approval policy is Never",
    "patch rejected: writing outside of the project; rejected by user approval settings",
    'exec_command failed: CreateProcess { message: "Rejected(\\"`/bin/bash -lc \'forbiddencmd --x\'` rejected: policy forbids commands starting with `forbiddencmd`\\")" }',
    "Command blocked by PreToolUse hook: blocked by lab hook. Command: *** Begin Patch\n*** Add File: FORBIDDEN.txt\n+x\n*** End Patch",
    // From Codex's source code.
    "approval policy is Granular(GranularApprovalConfig { sandbox_approval: false,\n rules: true }); reject command — you cannot ask",
    "approval required by policy, but AskForApproval is set to Never",
    "approval settings changed before the action could run",
    "approval request timed out",
    "rejected by configuration",
    "exec command rejected by user",
    "`git push --force` rejected: ask first",
    "Tool call blocked by PreToolUse hook: no. Tool: mcp__lab__echo",
    "This action was rejected due to unacceptable risk.\nReason: it deletes everything.",
    "automatic approval review denied the action",
    "The automatic permission approval review did not finish before its deadline. Do not assume",
    rustError("rejected by user"),
    rustError("This action was rejected due to unacceptable risk."),
    "Script failed\nWall time 3.0 seconds\nOutput:\nScript error:\nCommand blocked by PreToolUse hook: no. Command: x",
    `Script failed\nWall time 3.0 seconds\nOutput:\nScript error:\n${rustError("rejected by user")}`,
  ])("are settled as denied: %j", (text) => expect(settled(text)).toBe("denied"));

  it.each([
    rustError("Failed to create unified exec process: No such file or directory (os error 2)"),
    "write_stdin failed: Unknown process id 999",
    "failed in sandbox: command timed out",
    "failed in sandbox: sandbox denied exec error, exit code: 2",
  ])("do not include other failures: %j", (text) => expect(settled(text)).toBe("failed"));

  it("are distinguished from failures by the message of an item", () => {
    expect(fromCommand({ status: "declined", aggregated_output: "exec command rejected by user" })).toMatchObject({
      status: "denied",
      error: "exec command rejected by user",
    });
    // The same wrapper may hold a refusal or a failure to start.
    const refused = rustError("rejected by user");
    for (const item of [{ aggregated_output: refused }, { formatted_output: refused }])
      expect(fromCommand({ status: "declined", ...item })).toMatchObject({
        status: "denied",
        error: "rejected by user",
      });
    const failed = rustError("Failed to create unified exec process");
    expect(fromCommand({ status: "declined", formatted_output: failed })?.status).toBe("failed");
    expect(fromPatch({ status: "declined" })).toMatchObject({ status: "denied", error: "declined" });
    expect(fromPatch({ success: false, stderr: "patch rejected by user" })?.status).toBe("denied");
    expect(
      fromToolCall({ result: { Ok: { isError: true, content: [{ text: "user rejected MCP tool call" }] } } }),
    ).toEqual(expect.objectContaining({ status: "denied", error: "user rejected MCP tool call" }));
  });

  it("are not recognised in the output of a command", () => {
    const printed = "Exit code: 0\nWall time: 0 seconds\nOutput:\nCommand blocked by PreToolUse hook: x";
    expect(settled(printed)).toBe("ok 0");
    expect(settled("Done.\nCommand blocked by PreToolUse hook: x")).toBe("ok");
  });
});

describe("a command quoted before the header", () => {
  // The format is that of public files; the command is invented, and its own lines look like a header.
  const command =
    "Command: /bin/bash -lc 'cat <<EOF\nWall time\nOutput:\nProcess exited with code 0\nEOF\n" + "x\n".repeat(2000);
  it.each([1, 255])("does not hide the exit code %i", (code) => {
    const text = `${command}exit'\nChunk ID: 5879a6\nWall time: 0.2000 seconds\nProcess exited with code ${code}\nOriginal token count: 1\nOutput:\nno`;
    expect(fromText(text)).toMatchObject({ status: "failed", exitCode: code, durationMs: 200 });
  });

  it("does not hide that the process is still running", () => {
    const text = `${command}'\nChunk ID: 1\nWall time: 1.0000 seconds\nProcess running with session ID 7\nOutput:\n`;
    expect(fromText(text)).toMatchObject({ status: "pending", running: "7" });
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
  ])("of %j is %s", (text, expected) => expect(settled(text)).toBe(expected));

  it("is read from the fields of command and tool call items", () => {
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
