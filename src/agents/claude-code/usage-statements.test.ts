import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Native } from "../kit/native.ts";
import { freshState } from "./state.ts";
import { quickUsage, responseId, totalOf, usageOf } from "./usage.ts";
import { afterAll, describe, expect, it } from "vitest";

const ID = "msg_01AbCdEfGhIjKlMnOpQrStUv";
const TIME = "2026-05-12T08:00:00.000Z";
const answer = (usage: Native | null, message: Native = {}, more: Native = {}): Native => ({
  type: "assistant",
  timestamp: TIME,
  requestId: "req_1",
  uuid: "u1",
  ...more,
  message: { id: ID, model: "m", role: "assistant", ...(usage && { usage }), ...message },
});
const NONE = {
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
};

describe("the response id", () => {
  it.each<[record: Native, id: string]>([
    [answer(null), ID],
    [answer(null, { id: "msg_bdrk_01AbCdEfGhIjKlMnOpQr" }), "msg_bdrk_01AbCdEfGhIjKlMnOpQr"],
    [answer(null, { id: `x${ID}` }), `x${ID}|req_1`],
    [answer(null, { id: `${ID}-1` }), `${ID}-1|req_1`],
    [answer(null, { id: "1" }), "1|req_1"],
    [answer(null, { id: "1" }, { requestId: undefined }), "1"],
    [answer(null, { id: undefined }), "u1"],
    [{ requestId: "req_1" }, "req_1"],
    [{}, ""],
  ])("of %j is %j", (record, id) => {
    expect(responseId(record)).toBe(id);
  });
});

describe("the usage of a response", () => {
  it("includes every kind of token", () => {
    const usage = {
      input_tokens: 1,
      cache_read_input_tokens: 2,
      cache_creation_input_tokens: 3,
      output_tokens: 4,
      output_tokens_details: { thinking_tokens: 5 },
      cache_creation: { ephemeral_1h_input_tokens: 6, ephemeral_5m_input_tokens: 7 },
    };
    expect(usageOf(answer(usage), freshState("root"), "counted")).toEqual([
      {
        type: "usage",
        response_id: ID,
        model: "m",
        verdict: "counted",
        input_tokens: 1,
        cached_input_tokens: 2,
        cache_write_tokens: 13,
        cache_write_1h_tokens: 6,
        output_tokens: 4,
        reasoning_tokens: 5,
      },
    ]);
    const whole = { ...usage, cache_creation_input_tokens: 30 };
    expect(usageOf(answer(whole), freshState("root"), "inherited")).toMatchObject([
      { verdict: "inherited", cache_write_tokens: 30 },
    ]);
  });

  it("is none without stated usage, without an id, or for a placeholder with zero tokens", () => {
    const usageIn = (record: Native): unknown => usageOf(record, freshState("root"), "counted");
    expect(usageIn(answer(null))).toEqual([]);
    expect(usageIn({ type: "assistant" })).toEqual([]);
    expect(usageIn(answer({ output_tokens: 0 }, { model: "<synthetic>" }))).toEqual([]);
    expect(usageIn({ message: { usage: { output_tokens: 3 } } })).toEqual([]);
    // A real model that states zero tokens was still called.
    expect(usageIn(answer({ output_tokens: 0 }))).toMatchObject([{ model: "m", output_tokens: 0 }]);
    expect(usageIn(answer({ output_tokens: 3 }, { model: "<synthetic>" }))).toMatchObject([
      { model: null, output_tokens: 3 },
    ]);
  });

  it("states each advisor call separately, numbered by position", () => {
    const advisor = { type: "advisor_message", model: "wise", output_tokens: 7 };
    const iterations = [{ type: "message", output_tokens: 1 }, null, advisor, { ...advisor, output_tokens: 8 }];
    expect(
      usageOf(answer({ output_tokens: 1, iterations }), freshState("root"), "counted").map((one) => [
        one.response_id,
        one.model,
        one.output_tokens,
      ]),
    ).toEqual([
      [ID, "m", 1],
      [`${ID}#advisor1`, "wise", 7],
      [`${ID}#advisor2`, "wise", 8],
    ]);
  });

  it("is counted again when it adds tokens, a model or that the stream was cut", () => {
    const state = freshState("root");
    const verdict = (output: number, model: string | null, cut = false): string => {
      const record = answer({ output_tokens: output }, { model }, cut ? { isAbortedMidStream: true } : {});
      const [body] = usageOf(record, state, "counted");
      return `${body?.verdict}${body?.cut === true ? " cut" : ""}`;
    };
    expect(verdict(5, null)).toBe("counted");
    expect(verdict(5, null)).toBe("duplicate");
    expect(verdict(3, "m")).toBe("counted");
    expect(verdict(3, "m")).toBe("duplicate");
    // Smaller numbers without a model add nothing.
    expect(verdict(4, null)).toBe("duplicate");
    expect(verdict(4, "m")).toBe("counted");
    expect(verdict(4, "m")).toBe("duplicate");
    expect(verdict(4, "m", true)).toBe("counted cut");
    expect(verdict(4, "m", true)).toBe("duplicate cut");
    expect(verdict(6, null)).toBe("counted");
    expect(verdict(4, "m", true)).toBe("duplicate cut");
    expect(verdict(6, "m")).toBe("counted");
    expect(verdict(6, "m")).toBe("duplicate");
    expect(verdict(6, "m", true)).toBe("duplicate cut");
  });

  it("with zero tokens is counted again once it names a model", () => {
    const state = freshState("root");
    const verdict = (model: string | null): unknown =>
      usageOf(answer({ input_tokens: 0 }, { model }), state, "counted")[0]?.verdict;
    expect([verdict(null), verdict("m"), verdict("m")]).toEqual(["counted", "counted", "duplicate"]);
  });

  it("stays inherited when an inherited statement repeats", () => {
    const state = freshState("root");
    const copy = (): unknown => usageOf(answer({ output_tokens: 5 }), state, "inherited")[0]?.verdict;
    expect([copy(), copy()]).toEqual(["inherited", "inherited"]);
  });
});

describe("the total of a process", () => {
  const start = Date.parse(TIME);
  const state = (modelUsage: unknown, more: Native = {}): Native => ({
    type: "cost-state",
    startTime: start,
    modelUsage,
    ...more,
  });

  it("states every model's tokens", () => {
    const stated = {
      inputTokens: 1,
      cacheReadInputTokens: 2,
      cacheCreationInputTokens: 3,
      outputTokens: 4,
      thinkingTokens: 5,
      cacheCreationEphemeral1hInputTokens: 6,
      cacheCreationEphemeral5mInputTokens: 7,
    };
    const large = { cacheCreationInputTokens: 30, cacheCreationEphemeral5mInputTokens: 7 };
    expect(totalOf(state({ a: stated, b: large, c: null }, { totalDuration: 1000 }))).toEqual({
      type: "usage_total",
      counter: String(start),
      includes_children: true,
      exact: false,
      models: [
        {
          model: "a",
          input_tokens: 1,
          cached_input_tokens: 2,
          cache_write_tokens: 13,
          cache_write_1h_tokens: 6,
          output_tokens: 4,
          reasoning_tokens: 5,
        },
        { ...NONE, model: "b", cache_write_tokens: 30 },
        { ...NONE, model: "c" },
      ],
      unwritten: "claude.cost_state.unwritten",
      since: TIME,
      elapsed_ms: 1000,
    });
    expect(totalOf(state({}))).not.toHaveProperty("elapsed_ms");
  });

  it("is none without models or a valid start time", () => {
    expect(totalOf(state(null))).toBeNull();
    expect(totalOf({ modelUsage: {} })).toBeNull();
    expect(totalOf(state({}, { startTime: 1e300 }))).toBeNull();
  });
});

describe("the quick token count", () => {
  const root = mkdtempSync(join(tmpdir(), "claude-quick-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  let fileCount = 0;

  function quick(...lines: (Native | string)[]): unknown {
    const path = join(root, `s${fileCount++}.jsonl`);
    writeFileSync(
      path,
      `${lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n")}\n`,
    );
    const reported: unknown[] = [];
    const id = quickUsage(
      { source: "claude-code", path, size: 0, mtimeMs: 0, container: "jsonl" },
      {},
      (usage, time) => reported.push([usage.output_tokens, time]),
      (body, time) => reported.push([body.type === "compacted" ? `compacted ${body.trigger}` : body.type, time]),
    );
    if (id !== null) expect(id).toBe(`s${fileCount - 1}`);
    return id === null ? null : reported;
  }
  const at = Date.parse(TIME);
  const usage = { output_tokens: 5 };

  it("reports each response once, and totals and compactions, and skips malformed lines", () => {
    const content = [{ type: "text", text: 'a "content":[ and ],"stop_reason": in words' }];
    const long = answer(null, { content, stop_reason: "end_turn", usage });
    expect(quick(long, long, answer({ output_tokens: 2 }, { id: `${ID}2` }))).toEqual([
      [5, at],
      [2, at],
    ]);
    const total = { type: "cost-state", timestamp: TIME, startTime: at, modelUsage: {} };
    const compacted = { type: "system", subtype: "compact_boundary", timestamp: TIME };
    const others = [
      { type: "system", subtype: "other" },
      { type: "x", subtype: "compact_boundary" },
      { type: "cost-state" },
    ];
    expect(quick(total, compacted, ...others, "{", "[1]", "7", answer(usage))).toEqual([
      ["usage_total", at],
      ["compacted unknown", at],
      [5, at],
    ]);
  });

  it("declines files in which only neighbouring lines show what is a copy", () => {
    expect(quick({ type: "fork-context-ref" }, answer(usage))).toBeNull();
    expect(quick(answer(usage, {}, { requestId: undefined, version: "1.0.60" }))).toBeNull();
    expect(quick(answer(usage, {}, { requestId: undefined, version: "2.1.3" }))).toEqual([[5, at]]);
    expect(quick(answer(usage, {}, { version: "1.0.60" }))).toEqual([[5, at]]);
    expect(quick({ type: "user", version: "1.0.60" }, answer(usage))).toEqual([[5, at]]);
  });

  it("works without a callback for totals and compactions", () => {
    const path = join(root, "alone.jsonl");
    writeFileSync(path, `${JSON.stringify({ type: "cost-state", startTime: at, modelUsage: {} })}\n`);
    const ref = { source: "claude-code", path, size: 0, mtimeMs: 0, container: "jsonl" } as const;
    expect(quickUsage(ref, {}, () => undefined)).toBe("alone");
  });

  it("leaves no file open", () => {
    // Open files can be counted only where the system has /dev/fd; elsewhere nothing is checked.
    const handles = (): number => (existsSync("/dev/fd") ? readdirSync("/dev/fd").length : 0);
    const before = handles();
    for (let i = 0; i < 50; i++) quick({ type: "fork-context-ref" }, {});
    expect(handles()).toBeLessThan(before + 25);
  });
});
