import { describe, expect, it } from "vitest";
import { barsOf, itemHasLine, itemsOf, chunksOf, type Call, type LogRecord } from "../../web/src/lib/turn-items.ts";

/** Records like those of the API, with only the fields that the page reads. */
function records(...bodies: (Record<string, unknown> & { line: number; at?: number })[]): LogRecord[] {
  return bodies.map(({ line, at, ...body }, seq) => ({
    schema_version: 1,
    seq,
    session_id: "s",
    origin: { line },
    turn_id: "T0001",
    time: at === undefined ? null : new Date(Date.UTC(2026, 4, 12, 10, 0, at)).toISOString(),
    ...body,
  })) as unknown as LogRecord[];
}

const started = (call_id: string, more: object = {}): Record<string, unknown> => ({
  type: "tool_started",
  call_id,
  name: "Bash",
  input: { command: "ls" },
  ...more,
});
const finished = (call_id: string, more: object = {}): Record<string, unknown> => ({
  type: "tool_finished",
  call_id,
  status: "ok",
  exit_code: null,
  duration_ms: null,
  ...more,
});

describe("the items of a turn", () => {
  it("leave out the request itself, and tell later messages from text inserted by programs", () => {
    const items = itemsOf(
      records(
        { line: 3, type: "user", author: "human", text: "Do it" },
        { line: 4, type: "user", author: "source", text: "<reminder>" },
        { line: 5, type: "user", author: "human", text: "No, the other one" },
        { line: 6, type: "assistant_finished", text: "" },
        { line: 7, type: "assistant_finished", text: "Done." },
      ),
      3,
    );
    expect(items.map(({ kind }) => kind)).toEqual(["injected", "asked", "said"]);
  });

  it("group tool calls until the next reply, with nested calls inside their parents", () => {
    const items = itemsOf(
      records(
        { line: 1, ...started("a") },
        { line: 2, type: "usage" },
        { line: 3, ...started("b", { parent_call_id: "a" }) },
        { line: 4, ...finished("b") },
        { line: 5, ...finished("a") },
        { line: 6, ...started("c") },
        { line: 7, type: "assistant_finished", text: "so" },
        { line: 8, ...started("d") },
      ),
      null,
    );
    const calls = items.flatMap((item) => (item.kind === "calls" ? [item.calls] : []));
    expect(calls.map((group) => group.map(({ id }) => id))).toEqual([["a", "c"], ["d"]]);
    expect(calls[0]?.[0]?.inner.map(({ id }) => id)).toEqual(["b"]);
    expect(calls[1]?.[0]?.finished).toBeNull();
  });

  it("keep fields of an earlier result of a call that a later result leaves out", () => {
    const [item] = itemsOf(
      records(
        { line: 1, ...started("a") },
        { line: 2, ...finished("a", { exit_code: 1, status: "failed", output: "no" }) },
        { line: 3, ...finished("a", { status: "failed" }) },
      ),
      null,
    );
    expect(item?.kind === "calls" && item.calls[0]?.finished).toMatchObject({ exit_code: 1, output: "no" });
  });

  it("join consecutive reasoning and measure its time from the record before", () => {
    const items = itemsOf(
      records(
        { line: 1, at: 0, ...finished("x") },
        { line: 2, at: 6, type: "context", model: "m" },
        { line: 2, at: 6, type: "reasoning_finished", text: "first" },
        { line: 3, at: 8, type: "reasoning_finished", text: "then" },
      ),
      null,
    );
    expect(items).toMatchObject([{ kind: "thought", ms: 8000, texts: ["first", "then"] }]);
  });

  it("include notices of a changed model, a compaction and a failure", () => {
    const items = itemsOf(
      records(
        { line: 1, type: "context", model: "small" },
        { line: 2, type: "context", model: "small", effort: "high" },
        { line: 3, type: "context", model: "large" },
        { line: 4, type: "compacted", trigger: "auto", summary: "so far" },
        { line: 5, type: "failed", message: "529", turn_ended: false },
      ),
      null,
    );
    expect(items.map((item) => (item.kind === "notice" ? item.text : item.kind))).toEqual([
      "model: small → large",
      "compacted: a summary replaces everything before this point",
      "failed, then retried",
    ]);
  });

  it("attach a sub-agent once, to the call that caused it", () => {
    const link = { type: "child_linked", child: { source: "x", session_id: "c" }, relation: "subagent" };
    const items = itemsOf(
      records(
        { line: 1, ...started("a") },
        { line: 2, ...link, phase: "spawned", call_id: "a", role: "explore" },
        { line: 3, ...link, phase: "returned", call_id: "a" },
      ),
      null,
    );
    expect(items).toHaveLength(1);
    expect(items[0]?.kind === "calls" && items[0].calls[0]?.child?.role).toBe("explore");
  });

  it("are found by any of their lines", () => {
    const items = itemsOf(records({ line: 1, ...started("a") }, { line: 9, ...finished("a") }), null);
    expect(items.map((item) => [itemHasLine(item, 9), itemHasLine(item, 5)])).toEqual([[true, false]]);
  });
});

describe("the bars of parallel calls", () => {
  const call = (id: string, from: number, to: number): Call => {
    const [start, end] = records({ line: 1, at: from, ...started(id) }, { line: 2, at: to, ...finished(id) });
    return { id, started: start, finished: end, inner: [], child: null } as unknown as Call;
  };

  it("are drawn only for overlapping calls, as fractions of their total time", () => {
    const bars = barsOf([call("a", 0, 2), call("b", 10, 14), call("c", 11, 20), call("d", 20, 21)]);
    expect([...bars]).toEqual([
      ["b", { from: 0, width: 0.4 }],
      ["c", { from: 0.1, width: 0.9 }],
    ]);
  });
});

describe("chunks of items", () => {
  it("contain every item once, in order, and are limited in size", () => {
    const bodies = Array.from({ length: 300 }, (_, line) => ({
      line,
      ...(line % 3 === 0 ? { type: "assistant_finished", text: "x" } : started(`c${line}`)),
    }));
    const items = itemsOf(records(...bodies), null);
    const chunks = chunksOf(items, 40);
    expect(chunks.flat()).toEqual(items);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(20);
  });
});
