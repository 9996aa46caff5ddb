import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Entry } from "../contract.ts";
import type { Native } from "../kit/native.ts";
import { bodies } from "../kit/testing.ts";
import { readSession } from "./read.ts";
import { assistant, classes, fixtures, record, result, SESSION, text, tool, user } from "./testing.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const { read, readPath, refOf, scratch, writeSession } = fixtures;

const command = (name: string): string => `<command-name>/${name}</command-name>\n<command-args></command-args>`;
const title = (name: string): Native => ({ type: "custom-title", customTitle: name, sessionId: SESSION });

/** The parts of an entry that must be the same at lean detail. */
function shapeOf(entry: Entry): unknown {
  return [entry.class, entry.reason, entry.turnId, entry.records.map((body) => body.type)];
}

/** A session that uses every rule that looks ahead. */
function busySession(): Native[] {
  return [
    { type: "mode", mode: "normal", sessionId: SESSION },
    {
      type: "queue-operation",
      operation: "enqueue",
      content: "go",
      timestamp: "2026-05-12T08:00:00.000Z",
      sessionId: SESSION,
    },
    user("go", { promptId: "p1", permissionMode: "default" }),
    assistant([text("ok")], { id: "m1", stop: "tool_use", usage: { input_tokens: 5, output_tokens: 3 } }),
    assistant([tool("t1", "Bash", { command: "ls" })], {
      id: "m1",
      stop: "tool_use",
      usage: { input_tokens: 5, output_tokens: 9 },
    }),
    user([result("t1", "The user doesn't want to proceed with this tool use.", { is_error: true })]),
    user([text("[Request interrupted by user for tool use]")], { interruptedMessageId: "m1" }),
    record("system", { subtype: "turn_duration", durationMs: 5 }),
    { type: "api-request", id: "r", sessionId: SESSION },
    user("again", { promptId: "p2" }),
    assistant([text("done")], { stop: "end_turn", usage: { output_tokens: 1 } }),
    record("system", { subtype: "compact_boundary", compactMetadata: { trigger: "manual" } }),
    user("This session is being continued from a previous conversation", { isCompactSummary: true }),
    user("<local-command-caveat>c</local-command-caveat>", { isMeta: true }),
    user(command("compact")),
    user("<local-command-stdout>Compacted</local-command-stdout>"),
    user(command("mine")),
    user("<local-command-stdout>printed</local-command-stdout>"),
    { type: "custom-title", customTitle: "t", sessionId: SESSION },
    user("last"),
  ];
}

describe("reading a session file", () => {
  it("yields one entry per line, also for empty, malformed and incomplete lines", () => {
    const path = writeSession([user("a"), "", "{broken", "[]", user("b")]);
    appendFileSync(path, '{"type":"us');
    const entries = readPath(path);
    expect(classes(entries)).toEqual(["trigger", "session", "corrupt", "corrupt", "trigger", "corrupt"]);
    expect(entries.at(-1)?.tentative).toBe(true);
  });

  it("resumes from every cursor with the same result", () => {
    const path = writeSession(busySession());
    const { entries, cursors } = fixtures.readWithCursors(path);
    for (const cursor of cursors) expect(readPath(path, {}, cursor)).toEqual(entries.slice(cursor.line));
  });

  it("gives the same result in two reads as in one, wherever the file was cut", () => {
    const lines = busySession().map((item) => JSON.stringify(item));
    const whole = Buffer.from(`${lines.join("\n")}\n`);
    const path = join(scratch(), `${SESSION}.jsonl`);
    writeFileSync(path, whole);
    const expected = readPath(path);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length }), (cut) => {
        const { certain, rest } = fixtures.readInTwo(path, whole, cut);
        expect(certain.every((entry) => !entry.tentative)).toBe(true);
        expect([...certain, ...rest]).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it("gives the same classes, reasons, turn ids and record types at lean detail", () => {
    const path = writeSession(busySession());
    expect(readPath(path, { detail: "lean" }).map(shapeOf)).toEqual(readPath(path).map(shapeOf));
  });

  it("yields one entry per record for records of any shape", () => {
    const value = fc.jsonValue();
    const shape = fc.record(
      {
        type: fc.constantFrom("user", "assistant", "system", "attachment", "progress", "summary"),
        message: value,
        attachment: value,
        data: value,
        subtype: value,
        uuid: value,
        timestamp: value,
        toolUseResult: value,
      },
      { requiredKeys: ["type"] },
    );
    fc.assert(
      fc.property(fc.array(shape, { maxLength: 8 }), (records) => {
        expect(read(records)).toHaveLength(records.length);
      }),
      { numRuns: 100 },
    );
  });
});

describe("classification", () => {
  it("assigns bookkeeping to the session and durations to the turn (case 61)", () => {
    const entries = read([
      user("go"),
      assistant([text("x")], { stop: "end_turn" }),
      record("system", { subtype: "stop_hook_summary" }),
      record("system", { subtype: "turn_duration", durationMs: 7 }),
      record("system", { subtype: "away_summary", content: "…" }),
      { type: "file-history-snapshot", messageId: "m", snapshot: { timestamp: "2026-05-12T08:00:00.000Z" } },
      { type: "permission-mode", permissionMode: "plan", sessionId: SESSION },
      { type: "last-prompt", lastPrompt: "go", sessionId: SESSION },
      user("next"),
    ]);
    expect(classes(entries).join(" ")).toBe(
      "trigger reaction reaction reaction session session session session trigger",
    );
    expect(bodies(entries, "assistant_finished").at(-1)).toMatchObject({ turn_ended: true, duration_ms: 7 });
    expect(bodies(entries, "context").at(-1)).toEqual({ type: "context", approval_policy: "plan" });
  });

  it("treats a request copy written before its prompt as setup of that prompt", () => {
    const copy = { type: "api-request", id: "r", sessionId: SESSION };
    const entries = read([user("go"), copy, assistant([text("x")], { stop: "end_turn" }), copy, user("next")]);
    expect(classes(entries)).toEqual(["trigger", "reaction", "reaction", "setup", "trigger"]);
  });

  it("treats attachment types found in public files as reactions", () => {
    const attached = (type: string): Native => record("attachment", { attachment: { type } });
    const entries = read([user("go"), attached("companion_intro"), attached("unknown_command_fallback")]);
    expect(entries.map((entry) => entry.reason).slice(1)).toEqual([
      "claude.attachment.companion_intro",
      "claude.attachment.unknown_command_fallback",
    ]);
    expect(classes(entries).slice(1)).toEqual(["reaction", "reaction"]);
  });

  it("reports unknown types and fields as drift", () => {
    const path = writeSession([
      { type: "brand-new" },
      record("attachment", { attachment: { type: "odd" } }),
      user("x", { odd: 1 }),
    ]);
    const reading = readSession(refOf(path), null, { detail: "full" });
    expect(classes([...reading])).toEqual(["unknown", "unknown", "trigger"]);
    expect(reading.drift()).toEqual({
      versions: { "2.1.100": 2 },
      unknownTypes: { "unknown · brand-new": 1, "2.1.100 · attachment/odd": 1 },
      unknownFields: { "2.1.100 · user · odd": 1 },
    });
  });

  it("knows the fields of 2.1.326 and 2.1.327", () => {
    const path = writeSession([
      user("x", { holdsPersonsWords: true, toolDenialBeforeRun: true, userFeedback: "no" }),
      assistant([text("y")], {}, { requestSessionId: SESSION }),
      record("attachment", { attachment: { type: "date" }, renderedInHumanTurn: [] }),
    ]);
    const fixture = (name: string): string => fileURLToPath(new URL(`../../../test/fixtures/${name}`, import.meta.url));
    const windows = fixture("windows/claude-2.1.327/projects/-srv-dev-labs/");
    const files = readdirSync(windows).filter((name) => name.endsWith(".jsonl"));
    expect(files).toHaveLength(3);
    const genuine = [
      fixture("claude/d945e7f8-7795-4344-8ad0-13eff386acf8.jsonl"),
      ...files.map((name) => windows + name),
    ];
    for (const file of [path, ...genuine]) {
      const reading = readSession(refOf(file), null, { detail: "full" });
      expect([...reading].length).toBeGreaterThan(0);
      const { unknownTypes, unknownFields } = reading.drift();
      expect([unknownTypes, unknownFields]).toEqual([{}, {}]);
    }
  });

  it("recognises duplicate records and history copied from another session", () => {
    const copied = [user("old"), assistant([text("x")], { stop: "end_turn", usage: { output_tokens: 4 } })];
    const own = user("new");
    expect(classes(read([...copied, copied[1]]))).toEqual(["trigger", "reaction", "duplicate"]);
    const inherited = new Set(copied.map((item) => item["uuid"] as string));
    const entries = read([...copied, own, copied[0]], { inherited });
    expect(classes(entries)).toEqual(["inherited", "inherited", "trigger", "duplicate"]);
    expect(bodies(entries, "usage").map((usage) => usage.verdict)).toEqual(["inherited"]);
  });
});

describe("session metadata and turn ends", () => {
  it("are updated once the working directory is known", () => {
    const entries = read([
      { type: "mode", mode: "normal" },
      user("go", { gitBranch: "main" }),
      user("more", { cwd: "/w/sub" }),
    ]);
    const metas = bodies(entries, "session_meta");
    expect(metas.map((meta) => [meta.kind, meta.cwd])).toEqual([
      ["root", null],
      ["root", "/w"],
    ]);
    expect(metas[1]?.git).toEqual({ branch: "main" });
    expect(bodies(entries, "context")).toContainEqual({ type: "context", cwd: "/w/sub" });
  });

  it("include the parent of a subagent and the origin of a copied session", () => {
    const path = join(scratch(), SESSION, "subagents", "workflows", "wf_1", "agent-a1.jsonl");
    const child = writeSession([user("count", { isSidechain: true, promptId: "p" })], path);
    writeFileSync(path.replace(".jsonl", ".meta.json"), '{"agentType":"Explore","toolUseId":"t"}');
    expect(bodies(readPath(child), "session_meta")[0]).toMatchObject({
      kind: "subagent",
      role: "Explore",
      parent: { source: "claude-code", session_id: SESSION },
      parent_turn_id: "p",
    });
    expect(bodies(read([user("x", { sessionId: "other" })]), "session_meta")[0]?.forked_from).toBe("other");
  });

  it("distinguish interrupts and failures from completed turns", () => {
    const entries = read([
      user("a"),
      user([text("[Request interrupted by user]")]),
      record("system", { subtype: "turn_duration", durationMs: 3 }),
      user("b"),
      record("system", { subtype: "api_error", error: { formatted: "500 oops", status: 500 } }),
      assistant(
        [text("API Error: 400")],
        { model: "<synthetic>", usage: {} },
        { isApiErrorMessage: true, error: "unknown" },
      ),
      user("c"),
      assistant([text("No response requested.")], { model: "<synthetic>", stop: "stop_sequence", usage: {} }),
    ]);
    // The last prompt had no answer when the session was resumed: its turn was cut off as well.
    expect(entries.filter((entry) => bodies([entry], "cancelled").length > 0).map((entry) => entry.line)).toEqual([
      2, 8,
    ]);
    expect(bodies(entries, "failed").map((body) => [body.message, body.turn_ended])).toEqual([
      ["500 oops", false],
      ["API Error: 400", true],
    ]);
    expect(bodies(entries, "assistant_finished").some((body) => body.turn_ended)).toBe(false);
    expect(bodies(entries, "usage")).toEqual([]);
  });

  it("include a title only when it changes", () => {
    const entries = read([
      { type: "summary", summary: "other", leafUuid: "x" },
      title("a"),
      title("a"),
      { type: "ai-title", aiTitle: "b" },
    ]);
    expect(bodies(entries, "session_renamed")).toEqual([
      { type: "session_renamed", title: "a", by: "human" },
      { type: "session_renamed", title: "b", by: "agent" },
    ]);
  });
});
