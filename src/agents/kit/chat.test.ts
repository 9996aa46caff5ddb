import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { Cursor, Entry, SourceRef } from "../contract.ts";
import { blocksOf, textOf } from "./blocks.ts";
import { recordBeside } from "./bundle.ts";
import { freshChat, readChat, type Chat, type ChatState, type ReasonOf } from "./chat.ts";
import { fieldsByType } from "./drift.ts";
import { num, obj, str, type Native } from "./native.ts";
import { findLogs } from "./session-files.ts";
import { tokensIn } from "./tokens.ts";

const CLASSES = {
  trigger: "prompt",
  session: "state",
  reaction: "answer error result",
  inherited: "id.inherited",
  duplicate: "id.repeated",
  unknown: "unknown",
} as const;

/** An invented agent: a log of messages, with its state in a file beside it. */
const TALK: Chat<ChatState, ReasonOf<"talk", typeof CLASSES>> = {
  prefix: "talk",
  freshState: () => freshChat(),
  sessionId: () => "s1",
  native: (record) => str(record["role"]) ?? "(none)",
  time: (record) => num(record["at"]),
  identity: (record) => str(record["id"]),
  version: (record) => str(record["v"]),
  fields: fieldsByType({
    user: "role id at content v",
    assistant: "role id at content usage",
    "usage.": "in out cached",
  }),
  inner: (record) => ({ "usage.": obj(record["usage"]) }),
  classes: CLASSES,
  rules: {
    user: { rule: "talk.prompt", says: (say, { record }) => say.prompt(textOf(record["content"])) },
    assistant: {
      rule: "talk.answer",
      says: (say, { record }) => say.reply(blocksOf(record["content"]), { model: "m" }),
    },
    tool: ({ record }) => ({
      rule: "talk.result",
      says: (say) =>
        say.result(str(record["call"]) ?? "", { failed: record["bad"] === true, exit: num(record["exit"]) }),
    }),
    error: { rule: "talk.error", says: (say, { record }) => say.fails(str(record["content"])) },
  },
  unknown: "talk.unknown",
  tools: { shell: ["sh"], writes: { put: { path: "file", does: "created" } } },
  usage: (record) => ({
    tokens: tokensIn(obj(record["usage"]), { input: "in", output: "out", cached: "cached", inputHoldsCache: true }),
    model: "m",
  }),
  repeated: "talk.id.repeated",
  inherited: "talk.id.inherited",
  beside: [
    {
      file: () => "state.json",
      rule: "talk.state",
      time: ({ at }) => num(at),
      says: (say, { title }) => say.title(str(title), "agent"),
    },
  ],
};

const places: string[] = [];
afterAll(() => {
  for (const place of places) rmSync(place, { recursive: true, force: true });
});

function write(...records: readonly Native[]): SourceRef {
  const path = join(mkdtempSync(join(tmpdir(), "daybook-chat-")), "log.jsonl");
  places.push(join(path, ".."));
  writeFileSync(path, lines(records));
  return { source: "talk", path, size: 0, mtimeMs: 0, container: "jsonl" };
}

function lines(records: readonly Native[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

function draft(ref: SourceRef): FileDraft {
  return buildDraft(ref, "s1", readChat(TALK, ref, null, { detail: "full" }), { ledger: false, toolDetail: true });
}

function entries(ref: SourceRef, cursor: Cursor | null = null): Entry[] {
  return [...readChat(TALK, ref, cursor, { detail: "full" })];
}

const ASK = { role: "user", id: "1", at: 1, content: "go" };

function calls(...names: readonly string[]): Native {
  const content = names.map((name) => ({ type: "tool_use", id: name, name, input: { file: "a.txt" } }));
  return { role: "assistant", id: "2", content };
}

describe("a call", () => {
  it("of a shell without a stored exit code ended in a way that nobody knows", () => {
    const { tools } = draft(
      write(ASK, calls("sh", "get"), { role: "tool", call: "sh" }, { role: "tool", call: "get" }),
    );
    expect(tools.map(({ status, exit_code }) => [status, exit_code])).toEqual([
      ["pending", null],
      ["ok", null],
    ]);
  });

  it("that exited with another code than 0 failed, whatever its status says", () => {
    const { tools } = draft(write(ASK, calls("sh"), { role: "tool", call: "sh", bad: false, exit: 7 }));
    expect(tools.map(({ status, exit_code }) => [status, exit_code])).toEqual([["failed", 7]]);
  });

  it("that failed wrote no file", () => {
    const wrote = (bad: boolean): unknown[] =>
      draft(write(ASK, calls("put"), { role: "tool", call: "put", bad })).turns.flatMap(({ files }) => files);
    expect(wrote(true)).toEqual([]);
    expect(wrote(false)).toMatchObject([{ path: "a.txt", operation: "created" }]);
  });
});

describe("a record", () => {
  it("that is an error is neither an answer nor a prompt", () => {
    const { turns } = draft(write(ASK, { role: "error", content: "no such model" }));
    expect(turns.map(({ outcome, final_text }) => [outcome, final_text])).toEqual([["failed", ""]]);
  });

  it("written twice, or copied, states usage that does not count again", () => {
    const answer = { role: "assistant", id: "2", content: "hi", usage: { in: 10, cached: 4, out: 3 } };
    const ref = write(ASK, answer, answer);
    expect(draft(ref).tokens).toMatchObject({ counted: 13, duplicates: 13 });
    const copied = [...readChat(TALK, ref, null, { detail: "full", inherited: new Set(["1", "2"]) })];
    expect(copied.map(({ reason }) => reason)).toEqual(["talk.id.inherited", "talk.id.inherited", "talk.id.repeated"]);
  });

  it("of an unknown type, and fields that are not known, are drift", () => {
    const ref = write(
      { ...ASK, v: "1.2", mood: "good" },
      { role: "assistant", usage: { total: 1 } },
      { role: "oracle" },
    );
    const reading = readChat(TALK, ref, null, { detail: "full" });
    for (const entry of reading) void entry;
    expect(reading.drift()).toEqual({
      versions: { "1.2": 3 },
      unknownTypes: { "1.2 · oracle": 1 },
      unknownFields: { "1.2 · user · mood": 1, "1.2 · assistant · usage.total": 1 },
    });
  });
});

describe("a file beside the log", () => {
  it("comes behind the last line and is read again when the log has grown", () => {
    const ref = write(ASK);
    writeFileSync(join(ref.path, "../state.json"), '{"title":"one","at":5}');
    const reading = readChat(TALK, ref, null, { detail: "full" });
    const first = [...reading];
    expect(first.map(({ line, native, tentative }) => [line, native, tentative])).toEqual([
      [1, "user", false],
      [2, "beside/state.json", true],
    ]);
    appendFileSync(ref.path, lines([calls("get")]));
    writeFileSync(join(ref.path, "../state.json"), '{"title":"two"}');
    const next = entries(ref, reading.cursor());
    expect(next.map(({ line, reason }) => [line, reason])).toEqual([
      [2, "talk.answer"],
      [3, "talk.state"],
    ]);
    expect([...first.slice(0, 1), ...next]).toEqual(entries(ref));
    expect(next.at(-1)?.records).toEqual([{ type: "session_renamed", title: "two", by: "agent" }]);
    expect(recordBeside(ref.path, "beside/state.json")?.text).toBe('state.json:1\n{"title":"two"}');
  });

  it("is reported if it cannot be read", () => {
    const ref = write(ASK);
    writeFileSync(join(ref.path, "../state.json"), '{"title":');
    expect(entries(ref).map((entry) => [entry.class, entry.reason])).toEqual([
      ["trigger", "talk.prompt"],
      ["corrupt", "talk.line.not_json"],
    ]);
  });

  it("changes the stamp of the session", () => {
    const { path } = write(ASK);
    const home = join(path, "..");
    const ctx = { env: {}, home: "/none", roots: [home], report: () => undefined };
    const beside = (log: string): string[] => [join(log, "../state.json")];
    const agent = { source: "talk", name: "Talk", home, stores: [], suffix: ".jsonl", recognise: () => "yes" as const };
    const stamps = (): unknown[] => findLogs(ctx, { ...agent, beside }).map(({ stamp }) => stamp);
    const before = stamps();
    writeFileSync(join(home, "state.json"), "{}");
    expect(before).toHaveLength(1);
    expect(stamps()).not.toEqual(before);
    expect(findLogs(ctx, agent)[0]?.stamp).toBeUndefined();
  });
});
