import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LogRecord, RecordBody, UsageBody } from "../../record/record.ts";
import { apply, type ReplayPoint } from "./apply.ts";
import { createReplay, replay } from "./replay.ts";
import { parseRecord } from "../../record/schema.ts";
import { expectLinear } from "../../../test/linear.ts";

const META = {
  type: "session_meta",
  source: "x",
  kind: "root",
  cwd: null,
  started_at: null,
  agent_version: null,
} as const;
const NO_TOKENS = { cached_input_tokens: 0, cache_write_tokens: 0, cache_write_1h_tokens: 0, reasoning_tokens: 0 };

const id = fc.constantFrom("a", "b", "c");
const flag = fc.boolean();
// Few ids and few turns, so that records often refer to, correct and contradict each other.
const body: fc.Arbitrary<RecordBody> = fc.oneof(
  fc.constantFrom<RecordBody>(
    META,
    { ...META, cwd: "/x", title: "t", git: { branch: "b" } },
    { type: "user", author: "human", text: "p", kind: "prompt" },
    { type: "user", author: "human", text: "q", kind: "queued" },
    { type: "user", author: "agent", text: "r" },
    { type: "reasoning_finished", text: "hm" },
    { type: "assistant_finished", text: "", turn_ended: true },
    { type: "compacted", trigger: "auto" },
    { type: "usage_total", counter: "0", includes_children: false, exact: true, models: [] },
    { type: "unknown", native_type: "n" },
    { type: "unreadable", reason: "torn", bytes: 3, hint: "" },
  ),
  fc.constantFrom<RecordBody>(
    { type: "cancelled", reason: "interrupted" },
    { type: "cancelled", reason: "rolled_back", turns: 2 },
    { type: "cancelled", reason: "rewound", from_line: 3 },
  ),
  fc
    .record({ text: id, turn_ended: flag, message_id: id })
    .map((f): RecordBody => ({ type: "assistant_finished", ...f })),
  flag.map((turn_ended): RecordBody => ({ type: "failed", message: "x", turn_ended })),
  id.map((call_id): RecordBody => ({ type: "tool_started", call_id, name: "shell", input: { call_id } })),
  fc
    .tuple(id, fc.constantFrom("ok" as const, "failed" as const, "pending" as const))
    .map(([call_id, status]): RecordBody => ({
      type: "tool_finished",
      call_id,
      status,
      exit_code: null,
      duration_ms: 5,
      files: [{ path: "f", operation: "modified" }],
    })),
  fc
    .tuple(id, fc.nat({ max: 9 }), fc.constantFrom("counted" as const, "duplicate" as const))
    .map(([response_id, n, verdict]): UsageBody => ({
      type: "usage",
      response_id,
      model: null,
      verdict,
      input_tokens: n,
      output_tokens: n,
      ...NO_TOKENS,
    })),
  id.map((model): RecordBody => ({ type: "context", model, git: { commit: model } })),
  fc
    .tuple(id, flag)
    .map(([title, human]): RecordBody => ({ type: "session_renamed", title, by: human ? "human" : "agent" })),
  fc.tuple(id, flag).map(([session_id, back]): RecordBody => ({
    type: "child_linked",
    child: { source: "x", session_id },
    relation: "fork",
    phase: back ? "returned" : "spawned",
  })),
);
const rows = fc.array(
  fc.record({ turn: fc.constantFrom(null, "1", "2", "3"), body, line: fc.integer({ min: 1, max: 9 }) }),
  { maxLength: 40 },
);
const records: fc.Arbitrary<LogRecord[]> = rows.map((list) =>
  list.map(({ turn, body, line }, seq) => ({
    schema_version: 1,
    seq,
    time: `2026-01-01T00:00:${String(seq).padStart(2, "0")}.000Z`,
    session_id: "s",
    origin: { line },
    ...(turn === null ? {} : { turn_id: turn }),
    ...body,
  })),
);

describe("replay", () => {
  it("gives the same state in two steps as at once, and reading it in between changes nothing", () => {
    fc.assert(
      fc.property(records, fc.nat({ max: 20 }), (all, at) => {
        const session = createReplay();
        for (const record of all.slice(0, at)) session.push(record);
        const half = session.state();
        const copy = structuredClone(half);
        for (const record of all.slice(at)) session.push(record);
        expect(session.state()).toEqual(replay(all));
        expect(half).toEqual(copy);
        expect(half).toEqual(replay(all.slice(0, at)));
      }),
    );
  });

  it("gives the same state record by record, and applying a record changes no earlier point", () => {
    fc.assert(
      fc.property(records, fc.nat({ max: 40 }), fc.func(flag), (all, at, isStateRead) => {
        const points: ReplayPoint[] = [];
        for (const record of all) {
          points.push(apply(points.at(-1) ?? null, record));
          if (isStateRead(record.seq)) void points.at(-1)?.state;
        }
        for (const [i, point] of points.entries()) expect(point.state).toEqual(replay(all.slice(0, i + 1)));
        // A second continuation from an older point.
        const [before, next] = [points[at], all[at + 2]];
        if (!before || !next) return;
        expect(apply(before, next).state).toEqual(replay([...all.slice(0, at + 1), next]));
        expect(apply(before, next).state.last_seq).toBe(at + 2);
        expect(points.at(-1)?.state).toEqual(replay(all));
      }),
    );
  });

  it("takes time in proportion to the number of records", () => {
    const place = { schema_version: 1, time: null, session_id: "s", origin: {} } as const;
    expectLinear(".", 100_000, (text) => {
      let point: ReplayPoint | null = null;
      for (let seq = 0; seq < text.length; seq += 5) {
        const turn = { ...place, turn_id: `t${seq}` };
        const call_id = `c${seq}`;
        point = apply(point, { ...turn, seq, type: "user", author: "human", text: "a", kind: "prompt" });
        point = apply(point, { ...turn, seq: seq + 1, type: "tool_started", call_id, name: "ls", input: {} });
        const settled = { status: "ok", exit_code: 0, duration_ms: 1 } as const;
        point = apply(point, { ...turn, seq: seq + 2, type: "tool_finished", call_id, ...settled });
        point = apply(point, { ...turn, seq: seq + 3, type: "assistant_finished", text: "b", usage: { output: 1 } });
        point = apply(point, { ...place, seq: seq + 4, type: "context", model: "m" });
      }
      expect(point?.state).toMatchObject({ records: text.length, usage: { responses: text.length / 5 } });
    });
  });

  it("depends on seq alone, not on order or duplicates, and does not modify the records", () => {
    const shuffled = records.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, mixed]) => {
        const before = structuredClone(all);
        expect(replay([...mixed, ...all])).toEqual(replay(all));
        expect(all).toEqual(before);
      }),
    );
  });

  it("gives plain JSON, in which the tokens of all turns never exceed the session's", () => {
    fc.assert(
      fc.property(records, (all) => {
        for (const record of all) expect(parseRecord(record)).toMatchObject({ ok: true, notes: [] });
        const state = replay(all);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
        const owned = state.turns.reduce((n, turn) => n + turn.usage.input_tokens, 0);
        expect(owned).toBeLessThanOrEqual(state.usage.totals.input_tokens);
      }),
    );
  });

  it("refuses a record with a lower seq than the last one", () => {
    const place = { schema_version: 1, time: null, session_id: "s", origin: {} } as const;
    const session = createReplay();
    session.push({ ...place, seq: 1, ...META });
    expect(() => session.push({ ...place, seq: 0, ...META })).toThrow("record 0 comes after record 1");
  });
});
