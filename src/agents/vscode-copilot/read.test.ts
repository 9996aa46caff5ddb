import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RecordBody } from "../../record/record.ts";
import type { Entry, SourceRef } from "../contract.ts";
import { settlements } from "../kit/testing.ts";
import { documentIn } from "./replay.ts";
import { vscodeCopilot } from "./source.ts";
import { asLog, ended, ID, request, SAMPLE, session, terminal, tool, writeSession } from "./testing.ts";

function home(): string {
  return mkdtempSync(join(tmpdir(), "daybook-vscode-"));
}

function found(root: string): SourceRef[] {
  return [...vscodeCopilot.discover({ env: {}, home: "/nowhere", roots: [root], report: () => undefined })];
}

function entriesOf(lines: readonly object[], name = `${ID}.json`): Entry[] {
  const root = home();
  writeSession(root, lines, name);
  return found(root).flatMap((ref) => [...vscodeCopilot.read(ref, null, { detail: "full" })]);
}

function bodiesOf(requests: readonly object[]): RecordBody[] {
  return entriesOf([session(requests)]).flatMap(({ records }) => records);
}

function callEnded(part: object, end: object = ended({})): string[] {
  return settlements(entriesOf([session([request("go", [part], end)])]));
}

describe("a log of changes", () => {
  it("says the same as the document it makes", () => {
    const stated = (entries: readonly Entry[]): unknown[] => entries.map((entry) => ({ ...entry, bytes: 0 }));
    expect(stated(entriesOf(asLog(SAMPLE), `${ID}.jsonl`))).toEqual(stated(entriesOf([SAMPLE])));
  });

  it("appends, cuts and appends, deletes, and begins anew", () => {
    const lines = [
      { kind: 0, v: { requests: [], a: 1 } },
      { kind: 2, k: ["requests"], v: [{ x: [1, 2, 3] }] },
      { kind: 2, k: ["requests", 0, "x"], v: [9], i: 1 },
      { kind: 3, k: ["a"] },
      { kind: 1, k: ["b", "c"], v: "nowhere to put it" },
    ].map((line) => JSON.stringify(line));
    expect(documentIn(`${lines.join("\n")}\n{"kind":1,"k":["half`)).toEqual({ requests: [{ x: [1, 9] }] });
    expect(documentIn(`${lines.join("\n")}\n{"kind":0,"v":{"requests":[]}}`)).toEqual({ requests: [] });
  });

  it("does not leave the document, whatever its lines name", () => {
    const hostile = [
      { kind: 0, v: { requests: [] } },
      { kind: 1, k: ["__proto__", "polluted"], v: true },
      { kind: 1, k: ["constructor", "prototype", "polluted"], v: true },
      { kind: 1, k: ["requests", 4_000_000_000], v: {} },
      { kind: 2, k: ["requests"], v: [], i: 4_000_000_000 },
    ].map((line) => JSON.stringify(line));
    expect(documentIn(hostile.join("\n"))).toEqual({ requests: [] });
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

describe("a command", () => {
  it("ended with the code of the terminal", () => {
    expect(callEnded(terminal("ls", { exitCode: 0, duration: 5 }))).toEqual(["call_t: ok 0"]);
    expect(callEnded(terminal("ls", { exitCode: 3 }))).toEqual(["call_t: failed 3"]);
  });

  it("has an unknown end without one, though it is complete", () => {
    expect(callEnded(terminal("ls", undefined))).toEqual(["call_t: pending -"]);
  });

  it("was refused or skipped by the human, in the words of each release", () => {
    for (const isConfirmed of [false, { type: 0 }, { type: 5 }])
      expect(callEnded(terminal("ls", undefined, { isConfirmed }))).toEqual(["call_t: denied -"]);
    expect(callEnded(terminal("ls", { exitCode: 0 }, { isConfirmed: true }))).toEqual(["call_t: ok 0"]);
  });

  it("is the one that ran, if the human changed it", () => {
    const commandLine = { original: "rm -rf a", userEdited: "rm a" };
    const part = tool("run_in_terminal", "c", { toolSpecificData: { kind: "terminal", commandLine } });
    const [call] = bodiesOf([request("go", [part], ended({}))]).filter(({ type }) => type === "tool_started");
    expect(call).toMatchObject({ name: "run_in_terminal", input: { command: "rm a" } });
  });
});

it("a tool that is complete has failed if the model was told so", () => {
  const told = (text: string): string[] =>
    callEnded(
      tool("copilot_readFile", "c__vscode-7"),
      ended({ "c__vscode-7": ["read_file", { filePath: "/w/a" }, text] }),
    );
  expect(told("1: x")).toEqual(["c__vscode-7: ok -"]);
  expect(told("ERROR while calling tool: no such file")).toEqual(["c__vscode-7: failed -"]);
});

it("a text with names of files in it is one answer", () => {
  const parts = [
    { value: "See " },
    { kind: "inlineReference", inlineReference: { uri: { path: "/w/src/a.ts" } } },
    { kind: "inlineReference", name: "run", inlineReference: {} },
    { value: "." },
  ];
  const texts = bodiesOf([request("go", parts, ended({}))]).flatMap((body) =>
    body.type === "assistant_finished" && body.text !== "" ? [body.text] : [],
  );
  expect(texts).toEqual(["See `a.ts``run`."]);
});

it("a button is an answer of the human, a notice of the editor is nobody's", () => {
  const humans = bodiesOf([
    request('Run: "npm test"?', [], { confirmation: "Run", ...ended({}) }),
    request("the command has ended", [], { isSystemInitiated: true, ...ended({}) }),
    request("/fix it", [], { slashCommand: { name: "fix" }, ...ended({}) }),
  ]).flatMap((body) => (body.type === "user" ? [[body.author, body.kind]] : []));
  expect(humans).toEqual([
    ["human", "answer"],
    ["source", undefined],
    ["human", "command"],
  ]);
});

describe("the end of a turn", () => {
  const endOf = (more: object): RecordBody | undefined =>
    bodiesOf([request("go", [], more)]).find(({ type }) => /finished|failed|cancelled/.test(type));

  it("is stated by the state of the response, or by its error", () => {
    expect(endOf({ modelState: { value: 1 } })).toMatchObject({ type: "assistant_finished", turn_ended: true });
    expect(endOf({ modelState: { value: 2 } })).toMatchObject({ type: "cancelled" });
    expect(endOf({ isCanceled: true })).toMatchObject({ type: "cancelled" });
    expect(endOf({ result: { errorDetails: { message: "rate limit" } } })).toMatchObject({
      type: "failed",
      message: "rate limit",
    });
    expect(endOf({ modelState: { value: 0 } })).toBeUndefined();
    expect(endOf({ modelState: { value: 4 } })).toBeUndefined();
  });
});

describe("tokens", () => {
  const usage = (more: object): unknown[] =>
    bodiesOf([request("go", [], more)]).flatMap((body) =>
      body.type === "usage" ? [[body.input_tokens, body.output_tokens, body.model]] : [],
    );

  it("are those of the last request, and so of the turn only if it made no other", () => {
    const metadata = (rounds: number): object => ({
      result: {
        metadata: { promptTokens: 900, outputTokens: 12, toolCallRounds: Array.from({ length: rounds }, () => ({})) },
      },
    });
    expect(usage(metadata(1))).toEqual([[900, 12, "claude-opus-4.6"]]);
    expect(usage(metadata(2))).toEqual([]);
  });

  it("name the model that answered where the human let the editor choose", () => {
    const result = { usage: { promptTokens: 9, completionTokens: 2 }, metadata: { resolvedModel: "gpt-5.6" } };
    expect(usage({ modelId: "copilot/auto", result })).toEqual([[9, 2, "gpt-5.6"]]);
    expect(usage({ modelId: "copilot/auto", result: { usage: result.usage } })).toEqual([[9, 2, null]]);
  });
});

it("names the folder of the workspace, and none for a window without one", () => {
  const root = home();
  writeSession(root, [SAMPLE]);
  const folder = join(root, "globalStorage", "emptyWindowChatSessions");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "other.json"), JSON.stringify(SAMPLE));
  const cwds = found(root).map((ref) => {
    const [first] = [...vscodeCopilot.read(ref, null, { detail: "lean" })].flatMap(({ records }) => records);
    return first?.type === "session_meta" ? first.cwd : undefined;
  });
  expect(cwds).toEqual([null, "/home/nia/my shop"]);
});

it("a session that was copied to another workspace is read where it was written last", () => {
  const root = home();
  const old = writeSession(root, [SAMPLE]);
  const copy = writeSession(join(root, "copy"), asLog(SAMPLE), `${ID}.jsonl`);
  utimesSync(old, 1000, 1000);
  expect(found(root).map(({ path }) => path)).toEqual([copy]);
});
