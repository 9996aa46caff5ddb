import { describe, expect, it } from "vitest";
import type { Fields } from "./fields.ts";
import { isRefusal } from "./refusals.ts";
import { fromCommand, fromPatch, fromText, fromToolCall, settlementOf, type Settlement } from "./settlement.ts";

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
