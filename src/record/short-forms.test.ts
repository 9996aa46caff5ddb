import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { LogRecord } from "./record.ts";
import { readLog } from "./reader.ts";
import { replay } from "../turns/live/replay.ts";
import { openSession } from "../turns/live/session.ts";
import { parseRecord } from "./schema.ts";
import { LogWriter, type ShortBody } from "./writer.ts";

/**
 * The example of a document that preceded this format, line for line; only the values it abbreviates to dots are filled
 * in. The session is named in the header alone, and times have no milliseconds.
 */
const T = "2026-05-11T16:00:00Z";
const EXAMPLE = [
  `{"schema_version":1,"seq":0,"time":"${T}","type":"session_meta","session_id":"s","cwd":"/repo","title":"scratch","model":"m","provider":"p"}`,
  `{"schema_version":1,"seq":1,"time":"${T}","type":"context","sources":[{"kind":"project_instructions","path":"/repo/AGENTS.md","hash":"9f","truncated":false}]}`,
  `{"schema_version":1,"seq":2,"time":"${T}","type":"user","turn_id":"turn_1","text":"explain this repo"}`,
  `{"schema_version":1,"seq":3,"time":"${T}","type":"tool_started","turn_id":"turn_1","call_id":"call_1","name":"search_text","input":{"pattern":"main"}}`,
  `{"schema_version":1,"seq":4,"time":"${T}","type":"tool_finished","turn_id":"turn_1","call_id":"call_1","status":"ok","duration_ms":31,"output":{"matches":3,"truncated":false}}`,
  `{"schema_version":1,"seq":5,"time":"${T}","type":"assistant_finished","turn_id":"turn_1","message_id":"msg_1","text":"A parser.","usage":{"input":7,"output":5}}`,
];

const published = JSON.parse(
  readFileSync(new URL("../../docs/schema/record.v1.schema.json", import.meta.url), "utf8"),
) as { $defs: Record<string, unknown> };

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

  it("passes the published schema line by line", () => {
    for (const line of EXAMPLE) {
      const record = JSON.parse(line) as { type: string };
      const schema = z.fromJSONSchema(published.$defs[record.type] as never);
      expect(schema.safeParse(record).error, line).toBeUndefined();
      expect(parseRecord(record, "s"), line).toMatchObject({ ok: true, notes: [] });
    }
  });

  it("is replayed from lines that were only parsed", () => {
    const path = scratchLog();
    writeFileSync(path, `${EXAMPLE.join("\n")}\n`);
    const parsed = EXAMPLE.map((line) => JSON.parse(line) as LogRecord);
    expect(replay(parsed)).toEqual(replay(readLog(path)));
  });

  it("is continued by the library", () => {
    const path = scratchLog();
    writeFileSync(path, `${EXAMPLE.join("\n")}\n`);
    expect(() => LogWriter.open(path, "another")).toThrow("belongs to session s");
    const session = openSession(dirname(path), "s");
    expect(session.recovery.last).toMatchObject({ seq: 5, session_id: "s", time: "2026-05-11T16:00:00.000Z" });
    session.append("turn_2", { type: "user", text: "and now?" });
    expect(session.state.turns.map(({ turn_id }) => turn_id)).toEqual(["turn_1", "turn_2"]);
    session.close();
  });

  it("is known by its file name when the header is lost", () => {
    const path = scratchLog();
    writeFileSync(path, `${EXAMPLE.slice(1).join("\n")}\n`);
    const reading = readLog(path);
    expect([...reading].map(({ session_id }) => session_id)).toEqual(["s", "s", "s", "s", "s"]);
    expect(reading.diagnostics.map(({ code }) => code)).toEqual(["seq_gap", "meta_missing"]);
  });

  it.each([
    ["2026-05-11T18:00:00+02:00", "2026-05-11T16:00:00.000Z"],
    ["2026-05-11T16:00:00.123987Z", "2026-05-11T16:00:00.123Z"],
    ["2026-05-11T16:00:00.5+00:00", "2026-05-11T16:00:00.500Z"],
  ])("may give the time as %s", (time, utc) => {
    const line = { schema_version: 1, seq: 0, time, type: "session_meta", session_id: "s" };
    expect(parseRecord(line)).toMatchObject({ ok: true, record: { time: utc } });
  });

  it("may leave out how a turn was cancelled, that it ended in failure, and who gave the title", () => {
    const line = { schema_version: 1, seq: 1, session_id: "s", turn_id: "t" };
    expect(parseRecord({ ...line, type: "cancelled" })).toMatchObject({ record: { reason: "unknown" } });
    expect(parseRecord({ ...line, type: "failed", message: "no" })).toMatchObject({ record: { turn_ended: true } });
    expect(parseRecord({ ...line, type: "session_renamed", title: "x" })).toMatchObject({ record: { by: "human" } });
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
    expect(records.every(({ session_id, time }) => session_id === "s" && time === "2026-05-11T16:00:00.000Z")).toBe(
      true,
    );
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
