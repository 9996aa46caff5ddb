import { describe, expect, it } from "vitest";
import type { Fields } from "./native.ts";
import {
  fromCommand,
  fromPatch,
  fromText,
  fromToolCall,
  isRefusal,
  messageIn,
  settlementOf,
  whyFailed,
  type Settlement,
} from "./settlement.ts";

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

// The texts are minimal, in the formats of different Codex releases; genuine files are checked in test/truth.

type Stated = Partial<Settlement>;
const PLAIN: Settlement = { status: "ok", exitCode: null, durationMs: null, error: null, running: null };
const settlementWith = (stated: Stated): Settlement => ({ ...PLAIN, ...stated });

const LONG = "x".repeat(700);

describe("settlement from the text of a result", () => {
  it.each<[name: string, text: string, stated: Stated]>([
    ["nothing from plain text", "hello", {}],
    ["an exit code without a duration", "Exit code: 3\nOutput:\nx", { status: "failed", exitCode: 3, error: "x" }],
    ["a negative exit code", "Exit code: -9", { status: "failed", exitCode: -9 }],
    ["nothing from an exit code below other text", "The log says\nExit code: 3", {}],
    ["nothing from an exit code after other text", "no. Exit code: 3", {}],
    [
      "an exit code and a duration",
      "Exit code: 0\nWall time: 1.5 seconds\nOutput:\n",
      { exitCode: 0, durationMs: 1500 },
    ],
    [
      "a wall time without a colon",
      "Wall time 0.25 seconds\nProcess exited with code 12\n",
      { status: "failed", exitCode: 12, durationMs: 250 },
    ],
    [
      "a header below a chunk id",
      "Chunk ID: a\nWall time: 2 seconds\nProcess exited with code -1\n",
      { status: "failed", exitCode: -1, durationMs: 2000 },
    ],
    ["nothing from a wall time in the middle of a line", "A Wall time: 2 seconds\nProcess exited with code 1", {}],
    [
      "only the duration if a process exit is in the middle of a line",
      "Wall time: 2 seconds\nthe Process exited with code 1",
      { durationMs: 2000 },
    ],
    [
      "only the duration if an exit code is in the middle of a line",
      "Wall time: 2 seconds\nthe Exit code: 1",
      { durationMs: 2000 },
    ],
    [
      "a running process",
      "Wall time: 2 seconds\nProcess running with session ID 4711",
      { status: "pending", durationMs: 2000, running: "4711" },
    ],
    ["nothing from a running process without a wall time", "Process running with session ID 4711", {}],
    [
      "only the duration if a running process is in the middle of a line",
      "Wall time: 2 seconds\na Process running with session ID 4711",
      { durationMs: 2000 },
    ],
    ["a completed script", "Script completed\nWall time 1 seconds\nOutput:\n", { durationMs: 1000 }],
    [
      "a running script",
      "Script running with cell ID c17\nWall time 1 seconds",
      { status: "pending", durationMs: 1000, running: "c17" },
    ],
    [
      "a failed script",
      "Script failed\nWall time 1 seconds\nOutput:\nScript error:\nboom\nat x",
      { status: "failed", durationMs: 1000, error: "boom" },
    ],
    [
      "a script error on the same line",
      "Script failed\nOutput:\nScript error: boom",
      { status: "failed", error: "boom" },
    ],
    ["a terminated script", "Script terminated\nOutput:\n", { status: "failed", error: "script terminated" }],
    ["nothing from a script failure after other text", "The Script failed", {}],
    ["an abort", "aborted", { status: "interrupted", error: "aborted" }],
    ["an abort by the user", "aborted by user", { status: "interrupted", error: "aborted by user" }],
    [
      "an abort with a duration",
      "aborted by user after 12.5s",
      { status: "interrupted", durationMs: 12_500, error: "aborted by user after 12.5s" },
    ],
    [
      "an abort below a wall time",
      "Wall time: 3 seconds\n\naborted by user",
      { status: "interrupted", durationMs: 3000, error: "aborted by user" },
    ],
    [
      "an abort below a wall time without a colon",
      "Wall time 3 seconds\naborted by user",
      { status: "interrupted", durationMs: 3000, error: "aborted by user" },
    ],
    ["nothing from an abort after other text", "it was aborted", {}],
    [
      "a sandbox denial with its exit code",
      "sandbox denied exec error, exit code: 13, stdout: x",
      { status: "failed", exitCode: 13, error: "sandbox denied exec error, exit code: 13, stdout: x" },
    ],
    [
      "a sandbox denial with exit code 0",
      "sandbox denied exec error, exit code: 0",
      { status: "failed", exitCode: 0, error: "sandbox denied exec error, exit code: 0" },
    ],
    [
      "a sandbox denial with a negative exit code",
      "sandbox denied exec error, exit code: -6",
      { status: "failed", exitCode: -6, error: "sandbox denied exec error, exit code: -6" },
    ],
    ["nothing from a failure after other text", "so: unsupported call: x", {}],
    ["a failed patch", "apply_patch failed: x", { status: "failed", error: "apply_patch failed: x" }],
    ["an unsupported call", "unsupported call: x\nmore", { status: "failed", error: "unsupported call: x" }],
    [
      "only the duration if a process exit follows the output mark",
      `Wall time: 1 seconds\nOutput:\nProcess exited with code 3`,
      { durationMs: 1000 },
    ],
    ["nothing from a header far below", `${LONG}\nWall time: 1 seconds\nProcess exited with code 3`, {}],
  ])("reads %s", (_, text, stated) => {
    expect(fromText(text)).toEqual(settlementWith(stated));
  });

  it("ignores header-like lines in a command quoted before the header", () => {
    const command = "Command: /bin/bash -lc 'echo\nExit code: 7\nsleep'";
    const end = "Process exited with code 1\nOriginal token count: 3\nOutput:\nok";
    const failed = settlementWith({ status: "failed", exitCode: 1, durationMs: 500, error: "ok" });
    expect(fromText(`${command}\nChunk ID: ab12\nWall time: 0.5 seconds\n${end}`)).toEqual(failed);
    expect(fromText(`${command}\nWall time: 0.5 seconds\n${end}`)).toEqual(failed);
    expect(fromText(`${command}\nWall time 0.5 seconds\n${end}`)).toEqual(failed);
    // The header may be long if an output mark ends it, and an output mark inside the command does not count.
    expect(fromText(`Command: a\nOutput: x\n${LONG}\nWall time: 0.5 seconds\n${end}`)).toEqual(failed);
    expect(fromText(`Wall time: 0.5 seconds\n${LONG}\n${end}`)).toEqual(failed);
    expect(fromText(`Wall time: 0.5 seconds\n${LONG.repeat(4)}\n${end}`)).toEqual(settlementWith({ durationMs: 500 }));
    expect(fromText("Command: and nothing else")).toEqual(PLAIN);
  });

  it("reads the JSON of the oldest releases", () => {
    const text = (metadata: object): string => JSON.stringify({ output: "x", metadata });
    expect(fromText(text({ exit_code: 0, duration_seconds: 1.25 }))).toEqual(
      settlementWith({ exitCode: 0, durationMs: 1250 }),
    );
    expect(fromText(text({ exit_code: 2 }))).toEqual(settlementWith({ status: "failed", exitCode: 2, error: "x" }));
    expect(fromText(text({}))).toEqual(PLAIN);
    expect(fromText('{"other":1}')).toEqual(PLAIN);
    expect(fromText('said: {"metadata":{"exit_code":4}}')).toEqual(PLAIN);
  });

  it("reads the exit code at the end of truncated JSON", () => {
    const cut = (end: string): Settlement => fromText(`{"output":"${LONG}…${end}`);
    expect(cut('","metadata":{"exit_code":12,"duration')).toEqual(settlementWith({ status: "failed", exitCode: 12 }));
    expect(cut('", "metadata" : { "exit_code" : -12 , "d')).toEqual(
      settlementWith({ status: "failed", exitCode: -12 }),
    );
    expect(cut('","metadata":{"other":1')).toEqual(PLAIN);
    // Metadata long before the end is something the command printed.
    expect(fromText(`{"output":"${LONG}","metadata":{"exit_code":5,${LONG}`)).toEqual(PLAIN);
  });
});

describe("settlement from a command item", () => {
  it.each<[item: Fields, stated: Stated | null]>([
    [
      { status: "completed", exit_code: 0, duration: { secs: 1, nanos: 500_000_000 } },
      { exitCode: 0, durationMs: 1500 },
    ],
    [
      { status: "completed", exit_code: 4 },
      { status: "failed", exitCode: 4 },
    ],
    [{ status: "completed" }, {}],
    [{ status: "success" }, {}],
    [{ status: "failed" }, { status: "failed" }],
    [{ status: "in_progress" }, { status: "pending" }],
    [{ status: "in_progress", exit_code: 0 }, { status: "pending" }],
    [
      { status: "declined", aggregated_output: "  \n" },
      { status: "denied", error: "declined" },
    ],
    [
      { status: "declined", formatted_output: " no, said he\nx" },
      { status: "denied", error: "no, said he" },
    ],
    [{ status: "whatever" }, null],
    [{}, null],
  ])("reads %j as %j", (item, stated) => {
    expect(fromCommand(item)).toEqual(stated && settlementWith(stated));
  });
});

describe("settlement from a patch item", () => {
  it.each<[item: Fields, stated: Stated | null]>([
    [{ status: "completed" }, {}],
    [{ success: true }, {}],
    [{ status: "completed", success: true }, {}],
    [{ status: "failed" }, { status: "failed" }],
    [
      { success: false, stderr: "no hunk\nmore" },
      { status: "failed", error: "no hunk" },
    ],
    [{ status: "in_progress" }, { status: "pending" }],
    [{ status: "declined" }, { status: "denied", error: "declined" }],
    [
      { success: false, stderr: "patch rejected by user" },
      { status: "denied", error: "patch rejected by user" },
    ],
    [{}, null],
  ])("reads %j as %j", (item, stated) => {
    expect(fromPatch(item)).toEqual(stated && settlementWith(stated));
  });
});

describe("settlement from a tool call item", () => {
  const content = [{ type: "text", text: "no such page\nmore" }];
  it.each<[item: Fields, stated: Stated]>([
    [{ status: "completed", duration: { secs: 2, nanos: 0 } }, { durationMs: 2000 }],
    [{ status: "in_progress" }, { status: "pending" }],
    [{ status: "inProgress" }, { status: "pending" }],
    [{ status: "failed" }, { status: "failed" }],
    [{ success: false }, { status: "failed" }],
    [{ success: true }, {}],
    [
      { status: "declined", error: "not now" },
      { status: "denied", error: "not now" },
    ],
    [{ error: "broke\nat x" }, { status: "failed", error: "broke" }],
    [{ error: { message: "broke" } }, { status: "failed", error: "broke" }],
    [{ result: { Err: "broke" } }, { status: "failed", error: "broke" }],
    [{ result: { Err: { message: "broke" } } }, { status: "failed", error: "broke" }],
    [{ result: { Ok: { is_error: true, content } } }, { status: "failed", error: "no such page" }],
    [{ result: { Ok: { isError: true, content } } }, { status: "failed", error: "no such page" }],
    [{ result: { is_error: true, content } }, { status: "failed", error: "no such page" }],
    [{ result: { isError: true, content } }, { status: "failed", error: "no such page" }],
    [{ result: { Ok: { isError: false, content } } }, {}],
    [{ result: { Err: "user rejected the call" } }, { status: "denied", error: "user rejected the call" }],
  ])("reads %j as %j", (item, stated) => {
    expect(fromToolCall(item)).toEqual(settlementWith(stated));
  });
});

describe("a refusal text", () => {
  it.each([
    "mcp tool call rejected by the user",
    "`x` declined by user",
    "denied by user",
    "user cancelled MCP tool call",
    "The user rejected it",
    "a rule of mine rejected: policy forbids commands starting with x",
    "rejected: blocked by policy",
    "\n  rejected by user",
  ])("is recognised at the start of the text: %j", (text) => {
    expect(isRefusal(text)).toBe(true);
    expect(isRefusal(`$ cat log: ${text.trim()}`)).toBe(text.includes("rejected: "));
  });

  it.each([
    "approval policy is Never; reject command",
    "approval request timed out",
    "rejected by configuration",
    "`git push` rejected: ask first",
    "patch rejected",
    "this action was rejected",
    "automatic approval review denied",
    "the automatic permission approval review did not finish",
    'exec failed: CreateProcess { message: "Rejected("rejected by user',
  ])("is not recognised below other text: %j", (text) => {
    expect(isRefusal(text)).toBe(true);
    expect(isRefusal(`$ cat log\n${text}`)).toBe(false);
  });

  it("with a rule name is not recognised below other text", () => {
    expect(isRefusal("$ cat log\na rule of mine rejected: policy forbids x")).toBe(false);
  });

  it("is not recognised far into the text or as part of a longer word", () => {
    expect(isRefusal(`\`${"x".repeat(3900)}\` rejected: no`)).toBe(true);
    expect(isRefusal(`${" ".repeat(6100)}rejected by user`)).toBe(false);
    expect(isRefusal("rejected by username policy")).toBe(false);
  });
});

it("settlementOf leaves all fields but the status empty", () => {
  expect(settlementOf("failed")).toEqual(settlementWith({ status: "failed" }));
});

describe("the reason of a failure", () => {
  it("is what the command printed, in every dialect", () => {
    const said = [
      JSON.stringify({ output: "oops\n", metadata: { exit_code: 3, duration_seconds: 0.1 } }),
      "Exit code: 3\nWall time: 0.1 seconds\nOutput:\noops\n",
      "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOriginal token count: 1\nOutput:\noops\n",
      "Command: /bin/bash -lc 'echo\nOutput:\nno'\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\noops\n",
    ];
    for (const text of said) expect(fromText(text)).toMatchObject({ status: "failed", exitCode: 3, error: "oops" });
    const item = { status: "failed", exit_code: 3, aggregated_output: "fine\noops\n" };
    expect(fromCommand(item)?.error).toBe("fine\noops");
    // Older events have the streams apart.
    expect(fromCommand({ ...item, stdout: "fine\n", stderr: "oops\n" })?.error).toBe("oops");
    expect(fromPatch({ success: false, stdout: "no such file", stderr: "" })?.error).toBe("no such file");
  });

  it("is not given if the command succeeded or printed nothing", () => {
    expect(fromText("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nfine\n").error).toBeNull();
    expect(fromText("Exit code: 1\nWall time: 0.1 seconds\nOutput:\n\n").error).toBeNull();
    expect(fromText("Exit code: 1").error).toBeNull();
    expect(fromCommand({ exit_code: 0, aggregated_output: "fine" })?.error).toBeNull();
  });

  it("is the end of a long output, in whole lines", () => {
    const lines = Array.from({ length: 90 }, (_, i) => `line ${i}`);
    const reason = whyFailed(`${lines.join("\n")}\nValueError: x\n`) ?? "";
    expect(reason.length).toBeLessThan(250);
    expect(reason).toMatch(/^…\nline \d+\n[\s\S]*\nline 89\nValueError: x$/);
    expect(whyFailed("y".repeat(1000))).toBe(`…${"y".repeat(240)}`);
    expect(whyFailed("y".repeat(240))).toBe("y".repeat(240));
  });

  it("is the message inside a Rust error, not the command before it", () => {
    const wrapped = (message: string): string =>
      `exec_command failed for \`/bin/bash -lc 'one\ntwo'\`: CreateProcess { message: "${message}" }`;
    expect(messageIn(wrapped(String.raw`Rejected(\"rejected by user\")`))).toBe("rejected by user");
    expect(messageIn(wrapped(String.raw`Rejected(\"Unable to spawn:\\nNo \\\"x\\\" in \\u{2019}PATH\")`))).toBe(
      'Unable to spawn:\nNo "x" in ’PATH',
    );
    expect(messageIn(wrapped(String.raw`no \u{2018}shell\u{2019} at C:\\bin`))).toBe("no ‘shell’ at C:\\bin");
    expect(messageIn("write_stdin failed: Unknown process id 999\nmore")).toBe(
      "write_stdin failed: Unknown process id 999",
    );
    expect(messageIn("z".repeat(9000)).length).toBeLessThan(500);
  });
});
