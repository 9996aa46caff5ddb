import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Native } from "../kit/native.ts";
import { bodies, prompts } from "../kit/testing.ts";
import { assistant, classes, fixtures, result, text, tool, user } from "./testing.ts";
import { quickUsage } from "./usage.ts";
import { describe, expect, it } from "vitest";

const { read, readPath, refOf, writeSession } = fixtures;

const usage = (output: number): Native => ({ input_tokens: 5, output_tokens: output });

/** The version and a timestamp `ms` milliseconds after a fixed start. */
const at = (ms: number, version = "1.0.64"): Native => ({
  version,
  timestamp: new Date(1_750_000_000_000 + ms).toISOString(),
});
const noRequest: Native = { requestId: undefined };

/** How 0.2.120 to 1.0.109 begin a resumed file: a copy of the old conversation, written within a millisecond. */
function copiedConversation(from: number): Native[] {
  return [
    user([text("first")], at(from)),
    assistant(
      [tool("t1", "Bash")],
      { id: "m1", stop: "tool_use", usage: usage(7) },
      { ...at(from), ...noRequest, parentUuid: "a" },
    ),
    user([result("t1", "done")], { ...at(from + 1), parentUuid: "b" }),
    assistant(
      [text("ok")],
      { id: "m2", stop: "end_turn", usage: usage(8) },
      { ...at(from + 1), ...noRequest, parentUuid: "c" },
    ),
  ];
}

describe("a conversation copied on resume (up to 1.0.109)", () => {
  it("is inherited at the start of a file, and adds no prompts, tool calls or tokens", () => {
    const entries = read([
      ...copiedConversation(0),
      user("second", { ...at(4), parentUuid: "d" }),
      assistant([text("fine")], { id: "m3", stop: "end_turn", usage: usage(9) }, { ...at(300), parentUuid: "e" }),
    ]);
    expect(classes(entries)).toEqual(["inherited", "inherited", "inherited", "inherited", "trigger", "reaction"]);
    expect(prompts(entries)).toEqual(["prompt: second"]);
    expect(bodies(entries, "tool_started")).toEqual([]);
    expect(bodies(entries, "usage").map((one) => [one.verdict, one.output_tokens])).toEqual([
      ["inherited", 7],
      ["inherited", 8],
      ["counted", 9],
    ]);
  });

  it("is a duplicate if the file holds the originals, even without the first prompt (1.0.24)", () => {
    const live = [
      user("first", at(0)),
      assistant([tool("t1", "Bash")], { id: "m1", stop: "tool_use", usage: usage(7) }, { ...at(200), parentUuid: "a" }),
      user([result("t1", "done")], { ...at(300), parentUuid: "b" }),
      assistant([text("ok")], { id: "m2", stop: "end_turn", usage: usage(8) }, { ...at(500), parentUuid: "c" }),
    ];
    const copy = copiedConversation(4000).slice(1);
    copy[0] = { ...copy[0], parentUuid: null };
    const entries = read([...live, ...copy, user("second", { ...at(4010), parentUuid: "d" })]);
    expect(entries.slice(4, 7).map((entry) => entry.class)).toEqual(["duplicate", "duplicate", "duplicate"]);
    expect(prompts(entries)).toEqual(["prompt: first", "prompt: second"]);
    expect(bodies(entries, "tool_started")).toHaveLength(1);
  });

  it("ends at the first prompt typed after resuming, and includes a last unanswered prompt", () => {
    const entries = read([
      ...copiedConversation(0),
      user([text("never answered")], { ...at(1), parentUuid: "d" }),
      user("second", { ...at(6), parentUuid: "e" }),
      assistant([text("fine")], { id: "m3", stop: "end_turn" }, { ...at(300), parentUuid: "f" }),
    ]);
    expect(prompts(entries)).toEqual(["prompt: second"]);
  });

  it("is recognised after a subagent warm-up, and the session remains a root session (2.0.20)", () => {
    const side = { isSidechain: true, version: "2.0.20" };
    const later = (record: Native): Native => ({ ...record, version: "2.0.20" });
    const entries = read([
      user("Warmup", { ...at(0), ...side }),
      assistant([text("ready")], { id: "w", stop: "end_turn" }, { ...at(400), ...side }),
      ...copiedConversation(500).map(later),
      user("second", later({ ...at(520), parentUuid: "d" })),
      assistant([text("fine")], { id: "m3", stop: "end_turn" }, later({ ...at(900), parentUuid: "e" })),
    ]);
    expect(prompts(entries)).toEqual(["prompt: second"]);
    expect(bodies(entries, "session_meta").map((one) => one.kind)).toEqual(["root"]);
  });

  it("is not assumed if the response took time, nor in later releases", () => {
    const slow = [user("go", at(0)), assistant([text("ok")], { stop: "end_turn" }, { ...at(400), ...noRequest })];
    expect(prompts(read(slow))).toEqual(["prompt: go"]);
    const later = [user("go", at(0, "2.1.53")), assistant([text("ok")], {}, { ...at(0, "2.1.53"), ...noRequest })];
    expect(prompts(read(later))).toEqual(["prompt: go"]);
  });

  it("makes the quick token count decline the file", () => {
    const path = writeSession(copiedConversation(0));
    expect(quickUsage(refOf(path), {}, () => undefined)).toBeNull();
  });
});

describe("a conversation written again with its own times (2.0.74 to 2.1.12)", () => {
  it("is a duplicate, from a prompt that was taken apart until time goes on (genuine file, 2.0.76)", () => {
    const path = fileURLToPath(new URL("../../../test/fixtures/claude/", import.meta.url));
    const entries = readPath(join(path, "634f9264-9888-423c-b10c-f96e9a624a0c.jsonl"));
    expect(prompts(entries)).toEqual(["prompt: One. [lab:ls]", "prompt: Two. [lab:hello]", "prompt: Three. [lab:bye]"]);
    const copies = entries.filter((entry) => entry.class === "duplicate").map(({ line }) => line);
    expect(copies).toEqual([8, 9, 10, 11, 12, 13, 17, 18, 19]);
    const counted = bodies(entries, "usage").filter((one) => one.verdict === "counted");
    expect(counted.map((one) => one.output_tokens)).toEqual([429, 434, 438, 442]);
  });

  it("is recognised by time and text: both can be equal alone", () => {
    const turn = (words: string, ms: number): Native[] => [
      user(words, at(ms, "2.1.12")),
      assistant([text("ok")], { id: `m${ms}`, stop: "end_turn" }, at(ms + 10, "2.1.12")),
    ];
    const copied = (words: string, ms: number): string[] =>
      classes(read([...turn("go on", 0), ...turn("again", 100), ...turn(words, ms), ...turn("last", 300)])).slice(4);
    expect(copied("go on", 0)).toEqual(["duplicate", "duplicate", "trigger", "reaction"]);
    expect(copied("go on", 200)).toEqual(["trigger", "reaction", "trigger", "reaction"]);
    expect(copied("go off", 0)).toEqual(["trigger", "reaction", "trigger", "reaction"]);
    // Two records of the same millisecond, one after the other.
    expect(classes(read([user("x", at(0, "2.1.12")), user("x", at(0, "2.1.12"))]))).toEqual(["trigger", "trigger"]);
  });
});
