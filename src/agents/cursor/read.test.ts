import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry, SourceRef } from "../contract.ts";
import { settlements } from "../kit/testing.ts";
import { clockIn } from "./clock.ts";
import { cursor } from "./source.ts";
import { bubble, called, shell, said, writeEditorStore, writeSampleHome, writeTranscript } from "./testing.ts";
import type { StoredBubble, StoredConversation } from "./testing.ts";

const ID = "aaaaaaaa-0000-4000-8000-000000000009";

function home(): string {
  return mkdtempSync(join(tmpdir(), "daybook-cursor-"));
}

function found(root: string): SourceRef[] {
  return [...cursor.discover({ env: {}, home: "/nowhere", roots: [root], report: () => undefined })];
}

function entriesOf(bubbles: readonly StoredBubble[], more: Partial<StoredConversation> = {}): Entry[] {
  const root = home();
  writeEditorStore(root, [{ id: ID, bubbles, ...more }]);
  return found(root).flatMap((ref) => [...cursor.read(ref, null, { detail: "full" })]);
}

function ended(fields: object): string[] {
  return settlements(entriesOf([bubble("b1", 1, 1, { text: "go" }), bubble("b2", 2, 2, fields)]));
}

describe("a command", () => {
  it("ended with the code that is stored, and with 0 where a field without presence is left out", () => {
    const done = { output: "x", rejected: false, notInterrupted: true };
    const id = "tool_run_terminal_command_v2";
    expect(ended(shell("ls", done))).toEqual([`${id}: ok 0`]);
    expect(ended(shell("ls", { ...done, exitCode: 101 }))).toEqual([`${id}: failed 101`]);
    expect(ended(shell("ls", { ...done, exitCodeV2: 0 }))).toEqual([`${id}: ok 0`]);
  });

  it("has an unknown end if it did not end by itself", () => {
    const id = "tool_run_terminal_command_v2";
    expect(ended(shell("ls", { output: "x" }))).toEqual([`${id}: pending -`]);
    expect(ended(shell("ls", { output: "x", notInterrupted: true, isRunningInBackground: true }))).toEqual([
      `${id}: pending -`,
    ]);
    expect(
      ended(shell("ls", { notInterrupted: true, endedReason: "RUN_TERMINAL_COMMAND_ENDED_REASON_IDLE_TIMEOUT" })),
    ).toEqual([`${id}: pending -`]);
    expect(ended(shell("ls", null, { status: "loading" }))).toEqual([]);
  });

  it("was refused, or stopped", () => {
    const id = "tool_run_terminal_command_v2";
    expect(ended(shell("ls", { rejected: true }))).toEqual([`${id}: denied -`]);
    expect(ended(shell("ls", null, { status: "cancelled", userDecision: "rejected" }))).toEqual([`${id}: denied -`]);
    expect(ended(shell("ls", { output: "x" }, { status: "cancelled" }))).toEqual([`${id}: interrupted -`]);
    expect(ended(shell("ls", { endedReason: "RUN_TERMINAL_COMMAND_ENDED_REASON_EXECUTION_ABORTED" }))).toEqual([
      `${id}: interrupted -`,
    ]);
  });
});

it("an edit that was rejected in review was made all the same", () => {
  const edit = (fields: object): object =>
    called("edit_file_v2", { relativeWorkspacePath: "/w/a" }, { beforeContentId: "x", afterContentId: "y" }, fields);
  expect(ended(edit({ userDecision: "rejected" }))).toEqual(["tool_edit_file_v2: ok -"]);
  const [file] = entriesOf([bubble("b1", 1, 1, { text: "go" }), bubble("b2", 2, 2, edit({}))])
    .flatMap(({ records }) => records)
    .flatMap((body) => (body.type === "tool_finished" ? (body.files ?? []) : []));
  expect(file).toEqual({ path: "/w/a", operation: "modified" });
});

describe("the order of messages", () => {
  it("is that of the head; what it does not list stands where its time puts it", () => {
    const [one, taken, two] = [
      bubble("z", 1, 1, { text: "one" }),
      bubble("y", 1, 5, { text: "taken back" }),
      bubble("a", 1, 9, { text: "two" }),
    ];
    const entries = entriesOf([one, two], { unlisted: [taken] });
    expect(entries.map(({ identity }) => identity)).toEqual(["z", "y", "a", undefined]);
    expect(entries.map(({ class: cls }) => cls)).toEqual(["trigger", "trigger", "trigger", "session"]);
  });

  it("holds for messages inside the head, with what tools did beside them", () => {
    const timingInfo = { clientStartTime: 1500, clientEndTime: Date.UTC(2025, 0, 1) };
    const data = { bubbleDataMap: JSON.stringify({ t: { name: "read_file", status: "completed", params: "{}" } }) };
    const entries = entriesOf([], {
      head: {
        conversation: [
          { bubbleId: "u", type: 1, text: "old", timingInfo },
          { bubbleId: "t", type: 2, text: "", capabilityType: 15 },
        ],
        capabilities: [{ type: 15, data }],
      },
    });
    expect(entries.map(({ reason, time }) => [reason, time])).toEqual([
      ["cursor.prompt", Date.UTC(2025, 0, 1) - 1500],
      ["cursor.tool", null],
      ["cursor.conversation", Date.UTC(2026, 5, 1, 18, 33)],
    ]);
    expect(settlements(entries)).toEqual(["t: ok -"]);
  });
});

it("zeros are no statement of tokens", () => {
  const stated = (tokenCount: object): unknown[] =>
    entriesOf([bubble("b1", 1, 1, { text: "go" }), bubble("b2", 2, 2, { text: "ok", tokenCount })])
      .flatMap(({ records }) => records)
      .flatMap((body) => (body.type === "usage" ? [[body.input_tokens, body.output_tokens, body.model]] : []));
  expect(stated({ inputTokens: 0, outputTokens: 0 })).toEqual([]);
  expect(stated({ inputTokens: 1200, outputTokens: 30 })).toEqual([[1200, 30, null]]);
});

describe("a home", () => {
  it("has each conversation once: from the database if it is there", () => {
    const refs = found(writeSampleHome(home()));
    expect(refs.map(({ key, container }) => [key?.slice(0, 4), container])).toEqual([
      ["aaaa", "sqlite"],
      ["dddd", "sqlite"],
      [undefined, "jsonl"],
      [undefined, "jsonl"],
    ]);
    expect(refs.map((ref) => cursor.sessionId(ref).slice(0, 4))).toEqual(["aaaa", "dddd", "bbbb", "cccc"]);
  });

  it("changes the stamp of a conversation only if a row of it was written", () => {
    const root = home();
    const other = { id: `${ID}b`, bubbles: [bubble("o1", 1, 1, { text: "other" })] };
    const bubbles = [bubble("b1", 1, 1, { text: "go" })];
    writeEditorStore(root, [{ id: ID, bubbles }, other]);
    const before = found(root);
    writeEditorStore(root, [{ ...other, bubbles: [bubble("o1", 1, 1, { text: "OTHER" })] }]);
    const after = found(root);
    expect(after.map(({ stamp }, i) => stamp === before[i]?.stamp)).toEqual([true, false]);
  });

  it("leaves out drafts, and conversations whose messages were cleaned away", () => {
    const root = home();
    writeEditorStore(root, [{ id: ID, bubbles: [] }]);
    expect(found(root)).toEqual([]);
  });
});

describe("a transcript", () => {
  const read = (lines: readonly object[], parent?: string): Entry[] => {
    const root = home();
    writeTranscript(root, ID, lines, parent);
    return found(root).flatMap((ref) => [...cursor.read(ref, null, { detail: "full" })]);
  };
  const prompts = (entries: readonly Entry[]): string[] =>
    entries.flatMap(({ records }) => records).flatMap((body) => (body.type === "user" && body.kind ? [body.text] : []));

  it("holds what was asked inside elements for the model", () => {
    const skills = "<manually_attached_skills>\nlong\n</manually_attached_skills>\n";
    const entries = read([
      said(
        "user",
        `${skills}<timestamp>Monday, Aug 31, 2026, 5:52 AM (UTC-4)</timestamp>\n<user_query>\ngo\n</user_query>`,
      ),
      said("user", "<user_query>\nwhat does </user_query> mean?\n</user_query>"),
      said("user", "plain words"),
      said("user", "<system_reminder>\nno question\n</system_reminder>"),
    ]);
    expect(prompts(entries)).toEqual(["go", "what does </user_query> mean?", "plain words"]);
    expect(entries[0]?.time).toBe(Date.UTC(2026, 7, 31, 9, 52));
  });

  it("names the directory of its project, and the parent of a sub-agent", () => {
    const [first] = read([said("user", "<user_query>go</user_query>")], "parent-id").flatMap(({ records }) => records);
    expect(first).toMatchObject({
      type: "session_meta",
      kind: "subagent",
      cwd: "/home/nia/shop",
      parent: { source: "cursor", session_id: "parent-id" },
    });
  });

  it("does not know how a call ended, and says how a turn did", () => {
    const call = { type: "tool_use", name: "Shell", input: { command: "ls" } };
    const entries = read([
      said("user", "go"),
      { role: "assistant", message: { content: [call, call] } },
      { type: "turn_ended", status: "error", error: "usage limit" },
    ]);
    const bodies = entries.flatMap(({ records }) => records);
    expect(bodies.flatMap((body) => (body.type === "tool_started" ? [body.call_id] : []))).toEqual(["2.1", "2.2"]);
    expect(bodies.at(-1)).toEqual({ type: "failed", message: "usage limit", turn_ended: true });
  });
});

it("reads the clock that stands before a prompt", () => {
  expect(clockIn("Tuesday, Jul 21, 2026, 6:57 PM (UTC+8)")).toBe(Date.UTC(2026, 6, 21, 10, 57));
  expect(clockIn("Friday, Aug 21, 2026, 12:05 AM (UTC)")).toBe(Date.UTC(2026, 7, 21, 0, 5));
  expect(clockIn("Friday, Aug 21, 2026, 2:00 PM (UTC+5:30)")).toBe(Date.UTC(2026, 7, 21, 8, 30));
  expect(clockIn("2026-07-03T10:00:00Z")).toBe(Date.UTC(2026, 6, 3, 10));
  expect(clockIn("Tuesday, Jul 21, 2026")).toBeNull();
});
