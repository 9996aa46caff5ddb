import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Message } from "../turns/live/conversation.ts";
import { followSession } from "../turns/live/follow.ts";
import { listSessions } from "../turns/live/listing.ts";
import { readLog } from "./reader.ts";
import type { LogRecord } from "./record.ts";
import { replay } from "../turns/live/replay.ts";
import { parseRecord } from "./schema.ts";
import { openSession } from "../turns/live/session.ts";
import type { SessionState } from "../turns/live/state.ts";
import { LogWriter, type NewRecord } from "./writer.ts";

const doc = readFileSync(new URL("../../docs/log-format.md", import.meta.url), "utf8");
/** The n-th code block in the given language. */
const block = (lang: string, n = 0): string =>
  [...doc.matchAll(new RegExp(`\`\`\`${lang}\n([\\s\\S]*?)\`\`\``, "g"))][n]?.[1] ?? "";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "daybook-doc-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("the worked example of the format document", () => {
  it("is read without diagnostics and replayed to the printed result", () => {
    const path = join(dir, "example.jsonl");
    writeFileSync(path, block("jsonl"));
    const reading = readLog(path, { check: parseRecord });
    const state = replay(reading);
    expect(reading.diagnostics).toEqual([]);
    expect(state.turns).toMatchObject(JSON.parse(block("json")) as object[]);
    expect(state).toMatchObject({
      session_id: "demo-1",
      title: "Flaky widget test",
      compactions: 1,
      usage: { responses: 1, totals: { input_tokens: 400, output_tokens: 40 }, stated: { tokens: 940, seq: 9 } },
      unknown: { count: 1, types: { "telemetry/ping": 1 } },
      unreadable: { count: 1, bytes: 17 },
      context: { approval_policy: "on-request", git_branch: "main" },
    });
    expect(state.children).toMatchObject([{ role: "explorer", spawn_seq: 10, result_seq: 11 }]);
    expect(state.turns[0]?.files).toEqual([{ path: "test/widget.test.ts", operation: "modified" }]);
    expect(state.turns[1]?.outcome_detail).toBe("interrupted");
  });

  it("is reproduced by the writer byte for byte", () => {
    const path = join(dir, "again.jsonl");
    const writer = LogWriter.open(path, "demo-1", { sync: "never" });
    const records = block("jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as LogRecord);
    writer.append(records.map(unplaced));
    writer.close();
    expect(readFileSync(path, "utf8")).toBe(block("jsonl"));
  });
});

describe("a program that uses the format", () => {
  it("writes a session with the first code example of the document", () => {
    const code = block("js").replace(/import (\{.*\}) from "agent-daybook";/, "const $1 = lib;");
    // oxlint-disable-next-line typescript/no-implied-eval -- the document's own code, run as a reader would run it
    const run = new Function("lib", "dir", `${code}\nreturn state;`) as (lib: object, dir: string) => SessionState;
    const state = run({ LogWriter, readLog, replay }, dir);
    expect(state.turns).toMatchObject([
      {
        turn_id: "turn-1",
        trigger: { text: "explain this repo" },
        outcome: "completed",
        final_text: "It is a parser.",
      },
    ]);
    expect(state.tools).toMatchObject([{ name: "search_text", status: "ok", output: "3 matches", settled: true }]);
    for (const record of readLog(join(dir, "my-session.jsonl")))
      expect(parseRecord(record)).toMatchObject({ ok: true, notes: [] });
  });

  it("rewinds, archives, forks and lists sessions with the second code example", () => {
    const code = block("js", 1).replace(/import (\{.*\}) from "agent-daybook";/, "const $1 = lib;");
    // oxlint-disable-next-line typescript/no-implied-eval -- the document's own code, run as a reader would run it
    const run = new Function("lib", "dir", `${code}\nreturn { messages, titles, state: session.state };`) as (
      lib: object,
      dir: string,
    ) => { messages: Message[]; titles: string[]; state: SessionState };
    const sessionsDir = join(dir, "living");
    const { messages, titles, state } = run({ followSession, listSessions, openSession }, sessionsDir);
    expect(messages.map((one) => "text" in one && one.text)).toEqual(["what is here?", "A parser.", "rewrite it"]);
    expect(titles).toContain("Parser");
    expect(state).toMatchObject({ archived: true, turns: [{ taken_back: null }, { taken_back: "rewound" }] });
    const fork = openSession(sessionsDir, "f");
    expect(fork.state.turns.map(({ turn_id }) => turn_id)).toEqual(["t1"]);
    fork.close();
  });

  it("can write lines by hand, to which the library then appends", () => {
    const path = join(dir, "hand.jsonl");
    const head = { schema_version: 1, time: "2026-01-01T00:00:00.000Z", session_id: "h", origin: {} };
    const meta = { source: "hand", kind: "root", cwd: null, started_at: null, agent_version: null };
    const rows = [
      { ...head, seq: 0, type: "session_meta", ...meta },
      { ...head, seq: 1, type: "user", turn_id: "a", author: "human", kind: "prompt", text: "hello", mood: "calm" },
    ];
    // No trailing newline, as after `join`.
    writeFileSync(path, rows.map((row) => JSON.stringify(row)).join("\n"));
    expect([...readLog(path, { check: parseRecord })]).toHaveLength(2);
    const writer = LogWriter.open(path, "h");
    expect(writer.recovery).toMatchObject({ completed: true, nextSeq: 2, tornBytes: 0 });
    const body = { type: "assistant_finished", text: "hi", turn_ended: true } as const;
    writer.append([{ time: null, origin: {}, turn_id: "a", body }]);
    writer.close();
    const reading = readLog(path);
    expect(replay(reading).turns).toMatchObject([{ turn_id: "a", final_text: "hi", outcome: "completed" }]);
    expect(reading.diagnostics).toEqual([]);
  });
});

function unplaced(record: LogRecord): NewRecord {
  const { schema_version: _v, seq: _s, session_id: _i, time, origin, turn_id, ...body } = record;
  return { time, origin, body, ...(turn_id === undefined ? {} : { turn_id }) };
}
