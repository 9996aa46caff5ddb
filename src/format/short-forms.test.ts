import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readLog } from "./reader.ts";
import { replay } from "../live/replay.ts";
import { parseRecord } from "./schema.ts";
import { LogWriter, type ShortBody } from "./writer.ts";

/** Example lines from a document that preceded this format, with the times it left out filled in. */
const T = "2026-05-11T16:00:00.000Z";
const EXAMPLE = [
  `{"schema_version":1,"seq":0,"time":"${T}","type":"session_meta","session_id":"s","cwd":"/repo","title":"scratch","model":"m","provider":"p"}`,
  `{"schema_version":1,"seq":1,"time":"${T}","type":"context","session_id":"s","sources":[{"kind":"project_instructions","path":"/repo/AGENTS.md","hash":"9f","truncated":false}]}`,
  `{"schema_version":1,"seq":2,"time":"${T}","type":"user","session_id":"s","turn_id":"turn_1","text":"explain this repo"}`,
  `{"schema_version":1,"seq":3,"time":"${T}","type":"tool_started","session_id":"s","turn_id":"turn_1","call_id":"call_1","name":"search_text","input":{"pattern":"main"}}`,
  `{"schema_version":1,"seq":4,"time":"${T}","type":"tool_finished","session_id":"s","turn_id":"turn_1","call_id":"call_1","status":"ok","duration_ms":31,"output":{"matches":3,"truncated":false}}`,
  `{"schema_version":1,"seq":5,"time":"${T}","type":"assistant_finished","session_id":"s","turn_id":"turn_1","message_id":"msg_1","text":"A parser.","usage":{"input":7,"output":5}}`,
];

function scratchLog(): string {
  return join(mkdtempSync(join(tmpdir(), "daybook-short-")), "s.jsonl");
}

describe("a log in short forms", () => {
  it("is read and passes validation", () => {
    const path = scratchLog();
    writeFileSync(path, `${EXAMPLE.join("\n")}\n`);
    const reading = readLog(path, { check: parseRecord });
    const state = replay(reading);
    expect(reading.diagnostics).toEqual([]);
    expect(state.turns).toMatchObject([{ turn_id: "turn_1", trigger: { text: "explain this repo", kind: "prompt" } }]);
    expect(state.tools).toMatchObject([{ status: "ok", output: `{"matches":3,"truncated":false}` }]);
    expect(state.usage).toMatchObject({ responses: 1, totals: { input_tokens: 7, output_tokens: 5 } });
  });

  it("is written with the full fields", () => {
    const path = scratchLog();
    const log = LogWriter.open(path, "s");
    for (const line of EXAMPLE) {
      const { schema_version: _v, seq: _s, session_id: _i, time, turn_id, ...body } = JSON.parse(line) as ShortBody;
      const place = typeof turn_id === "string" ? { turn_id } : {};
      log.append([{ time: String(time), ...place, body }]);
    }
    log.close();
    const written = readFileSync(path, "utf8").trim().split("\n");
    const records = written.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records[0]).toMatchObject({ source: "unknown", kind: "root", agent_version: null, origin: {} });
    expect(records[2]).toMatchObject({ author: "human", kind: "prompt" });
    expect(records[4]).toMatchObject({ exit_code: null, structured: { matches: 3 } });
    // Records without short forms stay unchanged.
    expect(records.map((record) => parseRecord(record))).toEqual(
      records.map((record) => ({ ok: true, record, notes: [] })),
    );
  });

  it("is written with status interrupted and a skipped mark for a skipped call", () => {
    const log = LogWriter.open(scratchLog(), "s");
    log.append([{ time: null, body: { type: "session_meta" } }]);
    const [record] = log.append([
      { time: null, turn_id: "t", body: { type: "tool_finished", call_id: "c", status: "skipped" } },
    ]);
    log.close();
    expect(record).toMatchObject({ status: "interrupted", skipped: true, exit_code: null });
  });
});

describe("LogWriter", () => {
  it.each<[string, ShortBody, string]>([
    ["an unknown status", { type: "tool_finished", call_id: "c", status: "fine" }, "tool_finished.status"],
    ["a negative token count", { type: "assistant_finished", text: "", usage: { input: -1 } }, "usage.input"],
    ["a missing text", { type: "user" }, "user.text"],
    [
      "an invalid hash",
      { type: "user", text: "", attached: [{ hash: "x", media_type: "image/png", bytes: 1 }] },
      "attached.0.hash",
    ],
  ])("refuses %s before anything is written, and names the field", (_, body, field) => {
    const path = scratchLog();
    const log = LogWriter.open(path, "s");
    log.append([{ time: null, body: { type: "session_meta" } }]);
    const before = readFileSync(path, "utf8");
    const good = { time: null, body: { type: "reasoning_finished", text: "kept together" } } as const;
    expect(() => log.append([good, { time: null, body }])).toThrow(field);
    expect(readFileSync(path, "utf8")).toBe(before);
    log.close();
  });
});
