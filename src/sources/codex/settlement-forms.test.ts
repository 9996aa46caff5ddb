import { describe, expect, it } from "vitest";
import type { Fields } from "./fields.ts";
import { isRefusal } from "./refusals.ts";
import { fromCommand, fromPatch, fromText, fromToolCall, settlementOf, type Settlement } from "./settlement.ts";

/** Minimal texts in the forms of Codex's releases; what a genuine file says is compared in the truth of the corpora. */
type Stated = Partial<Settlement>;
const NOTHING: Settlement = { status: "ok", exitCode: null, durationMs: null, error: null, running: null };
const is = (stated: Stated): Settlement => ({ ...NOTHING, ...stated });

const LONG = "x".repeat(700);

describe("the text of a result", () => {
  it.each<[name: string, text: string, stated: Stated]>([
    ["nothing in particular", "hello", {}],
    ["an exit code alone", "Exit code: 3\nOutput:\nx", { status: "failed", exitCode: 3 }],
    ["a code that a signal gave", "Exit code: -9", { status: "failed", exitCode: -9 }],
    ["a command's own words", "The log says\nExit code: 3", {}],
    ["words that only end so", "no. Exit code: 3", {}],
    ["with its time", "Exit code: 0\nWall time: 1.5 seconds\nOutput:\n", { exitCode: 0, durationMs: 1500 }],
    [
      "without the colon",
      "Wall time 0.25 seconds\nProcess exited with code 12\n",
      { status: "failed", exitCode: 12, durationMs: 250 },
    ],
    [
      "below a word",
      "Chunk ID: a\nWall time: 2 seconds\nProcess exited with code -1\n",
      { status: "failed", exitCode: -1, durationMs: 2000 },
    ],
    ["a time in the middle of a line is none", "A Wall time: 2 seconds\nProcess exited with code 1", {}],
    [
      "an exit in the middle of a line is none",
      "Wall time: 2 seconds\nthe Process exited with code 1",
      { durationMs: 2000 },
    ],
    ["an exit code in the middle of a line is none", "Wall time: 2 seconds\nthe Exit code: 1", { durationMs: 2000 }],
    [
      "a process that goes on",
      "Wall time: 2 seconds\nProcess running with session ID 4711",
      { status: "pending", durationMs: 2000, running: "4711" },
    ],
    ["one that goes on without a time", "Process running with session ID 4711", {}],
    [
      "one in the middle of a line",
      "Wall time: 2 seconds\na Process running with session ID 4711",
      { durationMs: 2000 },
    ],
    ["a script", "Script completed\nWall time 1 seconds\nOutput:\n", { durationMs: 1000 }],
    [
      "a script that goes on",
      "Script running with cell ID c17\nWall time 1 seconds",
      { status: "pending", durationMs: 1000, running: "c17" },
    ],
    [
      "a script that failed",
      "Script failed\nWall time 1 seconds\nOutput:\nScript error:\nboom\nat x",
      { status: "failed", durationMs: 1000, error: "boom" },
    ],
    ["an error on the same line", "Script failed\nOutput:\nScript error: boom", { status: "failed", error: "boom" }],
    ["a script that was ended", "Script terminated\nOutput:\n", { status: "failed", error: "script failed" }],
    ["a script that is only spoken of", "The Script failed", {}],
    ["stopped", "aborted", { status: "interrupted", error: "aborted" }],
    ["stopped by the human", "aborted by user", { status: "interrupted", error: "aborted by user" }],
    [
      "stopped after a while",
      "aborted by user after 12.5s",
      { status: "interrupted", durationMs: 12_500, error: "aborted by user after 12.5s" },
    ],
    [
      "stopped, with its time",
      "Wall time: 3 seconds\n\naborted by user",
      { status: "interrupted", durationMs: 3000, error: "Wall time: 3 seconds" },
    ],
    [
      "stopped, in older words",
      "Wall time 3 seconds\naborted by user",
      { status: "interrupted", durationMs: 3000, error: "Wall time 3 seconds" },
    ],
    ["only spoken of", "it was aborted", {}],
    [
      "refused by the sandbox",
      "sandbox denied exec error, exit code: 13, stdout: x",
      { status: "failed", exitCode: 13, error: "sandbox denied exec error, exit code: 13, stdout: x" },
    ],
    [
      "refused, though it ended well",
      "sandbox denied exec error, exit code: 0",
      { status: "failed", exitCode: 0, error: "sandbox denied exec error, exit code: 0" },
    ],
    [
      "refused under a signal",
      "sandbox denied exec error, exit code: -6",
      { status: "failed", exitCode: -6, error: "sandbox denied exec error, exit code: -6" },
    ],
    ["only spoken of as failed", "so: unsupported call: x", {}],
    ["a patch that did not apply", "apply_patch failed: x", { status: "failed", error: "apply_patch failed: x" }],
    ["failed", "unsupported call: x\nmore", { status: "failed", error: "unsupported call: x" }],
    [
      "what follows the output is the command's",
      `Wall time: 1 seconds\nOutput:\nProcess exited with code 3`,
      { durationMs: 1000 },
    ],
    ["so is what stands far below", `${LONG}\nWall time: 1 seconds\nProcess exited with code 3`, {}],
  ])("%s", (_, text, stated) => {
    expect(fromText(text)).toEqual(is(stated));
  });

  it("may quote the command first, which says what it likes", () => {
    const command = "Command: /bin/bash -lc 'echo\nExit code: 7\nsleep'";
    const end = "Process exited with code 1\nOriginal token count: 3\nOutput:\nok";
    const failed = is({ status: "failed", exitCode: 1, durationMs: 500 });
    expect(fromText(`${command}\nChunk ID: ab12\nWall time: 0.5 seconds\n${end}`)).toEqual(failed);
    expect(fromText(`${command}\nWall time: 0.5 seconds\n${end}`)).toEqual(failed);
    expect(fromText(`${command}\nWall time 0.5 seconds\n${end}`)).toEqual(failed);
    // The head may be long where the output is marked, and the mark inside the command is not the mark.
    expect(fromText(`Command: a\nOutput: x\n${LONG}\nWall time: 0.5 seconds\n${end}`)).toEqual(failed);
    expect(fromText(`Wall time: 0.5 seconds\n${LONG}\n${end}`)).toEqual(failed);
    expect(fromText(`Wall time: 0.5 seconds\n${LONG.repeat(4)}\n${end}`)).toEqual(is({ durationMs: 500 }));
    expect(fromText("Command: and nothing else")).toEqual(NOTHING);
  });

  it("is JSON in the oldest releases", () => {
    const text = (metadata: object): string => JSON.stringify({ output: "x", metadata });
    expect(fromText(text({ exit_code: 0, duration_seconds: 1.25 }))).toEqual(is({ exitCode: 0, durationMs: 1250 }));
    expect(fromText(text({ exit_code: 2 }))).toEqual(is({ status: "failed", exitCode: 2 }));
    expect(fromText(text({}))).toEqual(NOTHING);
    expect(fromText('{"other":1}')).toEqual(NOTHING);
    expect(fromText('said: {"metadata":{"exit_code":4}}')).toEqual(NOTHING);
  });

  it("is no JSON any more where it was cut, but its end names the exit code", () => {
    const cut = (end: string): Settlement => fromText(`{"output":"${LONG}…${end}`);
    expect(cut('","metadata":{"exit_code":12,"duration')).toEqual(is({ status: "failed", exitCode: 12 }));
    expect(cut('", "metadata" : { "exit_code" : -12 , "d')).toEqual(is({ status: "failed", exitCode: -12 }));
    expect(cut('","metadata":{"other":1')).toEqual(NOTHING);
    // What a command printed long before the end is no end.
    expect(fromText(`{"output":"${LONG}","metadata":{"exit_code":5,${LONG}`)).toEqual(NOTHING);
  });
});

describe("a command's item", () => {
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
  ])("%j", (item, stated) => {
    expect(fromCommand(item)).toEqual(stated && is(stated));
  });
});

describe("a patch's item", () => {
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
  ])("%j", (item, stated) => {
    expect(fromPatch(item)).toEqual(stated && is(stated));
  });
});

describe("a tool call's item", () => {
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
  ])("%j", (item, stated) => {
    expect(fromToolCall(item)).toEqual(is(stated));
  });
});

describe("a refusal", () => {
  it.each([
    "mcp tool call rejected by the user",
    "`x` declined by user",
    "denied by user",
    "user cancelled MCP tool call",
    "The user rejected it",
    "a rule of mine rejected: policy forbids commands starting with x",
    "rejected: blocked by policy",
    "\n  rejected by user",
  ])("begins the text: %j", (text) => {
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
  ])("is none where it is quoted: %j", (text) => {
    expect(isRefusal(text)).toBe(true);
    expect(isRefusal(`$ cat log\n${text}`)).toBe(false);
  });

  it("may follow what a rule is called, on its line", () => {
    expect(isRefusal("$ cat log\na rule of mine rejected: policy forbids x")).toBe(false);
  });

  it("is none far below, and none that only names the user", () => {
    expect(isRefusal(`\`${"x".repeat(3900)}\` rejected: no`)).toBe(true);
    expect(isRefusal(`${" ".repeat(6100)}rejected by user`)).toBe(false);
    expect(isRefusal("rejected by username policy")).toBe(false);
  });
});

it("a settlement says nothing it was not told", () => {
  expect(settlementOf("failed")).toEqual(is({ status: "failed" }));
});
