import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { answers, open, scratch } from "./store/fixture.ts";

/** Lines as Claude Code 2.1.325 writes them, reduced to what is read; totals as in its `cost-state` records. */
type Line = Record<string, unknown>;
type Counts = [input: number, cached: number, written: number, output: number];

const T0 = Date.UTC(2026, 10, 15, 7);
const at = (second: number): string => new Date(T0 + second * 1000).toISOString();

const lineOf = (session: string, second: number, type: string, more: Line): Line => ({
  type,
  sessionId: session,
  uuid: `u-${session}-${second}-${type}`,
  timestamp: at(second),
  cwd: "/w",
  version: "2.1.325",
  parentUuid: null,
  isSidechain: false,
  ...more,
});

const usageOf = ([input, cached, written, output]: Counts): Line => ({
  input_tokens: input,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: written,
  output_tokens: output,
});

/** A prompt, and its answer a second later. */
function turn(session: string, second: number, counts: Counts, more: Line = {}, model = "claude-opus-5-5"): Line[] {
  const message = { id: `m-${session}-${second}`, role: "assistant", model, stop_reason: "end_turn", content: [] };
  return [
    lineOf(session, second, "user", {
      message: { role: "user", content: `ask ${second}` },
      promptSource: "sdk",
      ...more,
    }),
    lineOf(session, second + 1, "assistant", {
      message: { ...message, usage: usageOf(counts) },
      requestId: `r-${session}-${second}`,
      ...more,
    }),
  ];
}

const boundary = (session: string, second: number): Line =>
  lineOf(session, second, "system", { subtype: "compact_boundary", compactMetadata: { trigger: "auto" } });

/** `since` and `ran`, in seconds: when the first process of the count started, and how long all of them ran. */
function total(since: number, ran: number, models: Record<string, Counts>): Line {
  const modelUsage = Object.fromEntries(
    Object.entries(models).map(([model, [input, cached, written, output]]) => [
      model,
      {
        inputTokens: input,
        cacheReadInputTokens: cached,
        cacheCreationInputTokens: written,
        outputTokens: output,
        webSearchRequests: 0,
        costUSD: 0,
        thinkingTokens: 0,
      },
    ]),
  );
  return { type: "cost-state", startTime: T0 + since * 1000, totalDuration: ran * 1000, modelUsage, totalCostUSD: 0 };
}

interface Spent {
  /** By session: tokens that only the total has, and how much more was counted than stated. */
  unowned: Record<string, [tokens: number, difference: number | null]>;
  counted: number;
}

/** Checks that direct reading, the sums before the first sync, a book and a book of growing files agree. */
async function spentIn(files: Record<string, Line[]>): Promise<Spent> {
  const root = scratch("unwritten");
  for (const [name, lines] of Object.entries(files)) write(join(root, name), lines);
  const roots = { "claude-code": [root] };
  const direct = open(roots);
  const { sessions, totals, balanced } = await direct.audit();
  expect(balanced).toBe(true);
  const daily = { group: "daily", by: "spent", breakdown: true, order: "asc" } as const;
  const whole = await open(roots).usage({ ...daily, group: "session" });
  const quick = await open(roots).usage(daily);
  expect(quick.totals).toEqual(whole.totals);
  const home = scratch("book");
  const book = open(roots, home);
  const before = await answers(direct, 0);
  expect(await answers(book, 0)).toEqual(before);
  expect(await rowsOfGrown(files)).toEqual(JSON.stringify((await direct.usage(daily)).rows));
  return {
    unowned: Object.fromEntries(
      sessions.map((one) => [
        one.session_id,
        [one.unowned_reasons["claude.cost_state.unwritten"] ?? 0, one.difference],
      ]),
    ),
    counted: totals.tokens.counted,
  };
}

/** Usage rows after writing the same files line by line, with a sync after each. */
async function rowsOfGrown(files: Record<string, Line[]>): Promise<string> {
  const [root, home] = [scratch("grown"), scratch("book")];
  const daily = { group: "daily", by: "spent", breakdown: true, order: "asc" } as const;
  let rows = "";
  for (const [name, lines] of Object.entries(files)) {
    for (const line of lines) {
      write(join(root, name), [line]);
      rows = JSON.stringify((await open({ "claude-code": [root] }, home).usage(daily)).rows);
    }
  }
  return rows;
}

function write(path: string, lines: readonly Line[]): void {
  mkdirSync(dirname(path), { recursive: true });
  if (path.endsWith(".meta.json")) writeFileSync(path, JSON.stringify(lines[0]));
  else appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

const OPUS = "claude-opus-5-5";
const HAIKU = "claude-haiku-4-5";

describe("usage known only from a stated total", () => {
  it("belongs to the session and to no turn", async () => {
    const lines = [
      ...turn("a", 1, [10, 20, 30, 40]),
      boundary("a", 5),
      total(0, 6, { [OPUS]: [11, 22, 33, 44], [HAIKU]: [1, 0, 0, 2] }),
    ];
    expect(await spentIn({ "p/a.jsonl": lines })).toEqual({ unowned: { a: [13, 0] }, counted: 113 });
  });

  it("is counted once, however often the total is stated, and grows with it", async () => {
    const lines = [
      ...turn("a", 1, [1, 1, 1, 1]),
      total(0, 3, { [OPUS]: [3, 1, 1, 1] }),
      total(0, 3, { [OPUS]: [3, 1, 1, 1] }),
      ...turn("a", 10, [1, 1, 1, 1]),
      total(0, 5, { [OPUS]: [4, 2, 2, 5] }),
    ];
    expect(await spentIn({ "p/a.jsonl": lines })).toEqual({ unowned: { a: [5, 0] }, counted: 13 });
  });

  it("excludes what sub-agents at any depth spent, whichever file is first", async () => {
    const side = (agent: string): Line => ({ isSidechain: true, agentId: agent });
    const files = {
      "p/a.jsonl": [...turn("a", 1, [1, 1, 1, 1]), total(0, 9, { [OPUS]: [6, 6, 6, 7], [HAIKU]: [2, 2, 2, 2] })],
      "p/a/subagents/agent-x.jsonl": turn("a", 3, [5, 5, 5, 5], side("x")),
      "p/a/subagents/agent-x.meta.json": [{ agentType: "general-purpose" }],
      "p/a/subagents/agent-y.jsonl": turn("a", 6, [2, 2, 2, 2], side("y"), HAIKU),
      "p/a/subagents/agent-y.meta.json": [{ agentType: "Explore", parentAgentId: "x" }],
    };
    const found = { unowned: { a: [1, 0], "agent-x": [0, null], "agent-y": [0, null] }, counted: 33 };
    expect(await spentIn(files)).toEqual(found);
    expect(await spentIn(Object.fromEntries(Object.entries(files).toReversed()))).toEqual(found);
  });

  it("of a fork is what it added to its origin's total", async () => {
    const own = [...turn("a", 1, [10, 0, 0, 1]), boundary("a", 5)];
    const copies = own.slice(0, 2).map((line) => ({ ...line, sessionId: "f" }));
    const files = {
      "p/a.jsonl": [
        ...own,
        total(0, 6, { [OPUS]: [15, 0, 0, 3] }),
        ...turn("a", 20, [10, 0, 0, 1]),
        total(0, 9, { [OPUS]: [25, 0, 0, 4] }),
      ],
      "p/f.jsonl": [
        { type: "queue-operation", operation: "enqueue", timestamp: at(10), sessionId: "f" },
        ...copies,
        ...turn("f", 10, [100, 0, 0, 10]),
        total(0, 8, { [OPUS]: [115, 0, 0, 20] }),
      ],
    };
    expect(await spentIn(files)).toEqual({ unowned: { a: [7, 0], f: [7, 0] }, counted: 22 + 7 + 110 + 7 });
  });

  it("of a fork whose origin is missing is all that its records do not state", async () => {
    const copies = turn("a", 1, [10, 0, 0, 1]).map((line) => ({ ...line, sessionId: "f" }));
    const enqueued = { type: "queue-operation", operation: "enqueue", timestamp: at(10), sessionId: "f" };
    const fork = [enqueued, ...copies, ...turn("f", 10, [100, 0, 0, 10]), total(0, 8, { [OPUS]: [115, 0, 0, 20] })];
    expect(await spentIn({ "p/f.jsonl": fork })).toEqual({ unowned: { f: [14, 0] }, counted: 135 });
  });

  it("is not changed by responses of a killed process, which are in no total", async () => {
    // The first process was killed: the count restarted with the second, without anything of the first.
    const anew = [
      ...turn("a", 1, [50, 0, 0, 5]),
      ...turn("a", 100, [7, 0, 0, 7]),
      total(99, 3, { [OPUS]: [8, 0, 0, 9] }),
    ];
    expect(await spentIn({ "p/a.jsonl": anew })).toEqual({ unowned: { a: [3, 0] }, counted: 72 });
    // A process was killed between two processes that share one count.
    const between = [
      ...turn("a", 1, [1, 0, 0, 1]),
      total(0, 3, { [OPUS]: [1, 0, 0, 1] }),
      ...turn("a", 50, [50, 0, 0, 5]),
      ...turn("a", 100, [7, 0, 0, 7]),
      total(0, 6, { [OPUS]: [10, 0, 0, 9] }),
    ];
    expect(await spentIn({ "p/a.jsonl": between })).toEqual({ unowned: { a: [3, 0] }, counted: 74 });
  });

  it("excludes aborted streams, unless the total includes them", async () => {
    const [ask = {}, answer = {}] = turn("a", 1, [9, 0, 0, 1]);
    const cut = { ...answer, uuid: "again", isAbortedMidStream: true };
    const rest = turn("a", 10, [1, 0, 0, 1]);
    const stated = (...counts: Counts): Line => total(0, 12, { [OPUS]: counts });
    const both = [ask, answer, cut, ...rest];
    expect(await spentIn({ "p/a.jsonl": [...both, stated(4, 0, 0, 3)] })).toEqual({
      unowned: { a: [5, 0] },
      counted: 17,
    });
    expect(await spentIn({ "p/a.jsonl": [...both, stated(10, 0, 0, 2)] })).toEqual({
      unowned: { a: [0, 0] },
      counted: 12,
    });
  });

  it("is computed over all models if the total uses other model names", async () => {
    const lines = (name: string): Line[] => [...turn("a", 1, [5, 0, 0, 5]), total(0, 3, { [name]: [6, 0, 0, 6] })];
    expect(await spentIn({ "p/a.jsonl": lines(`${OPUS}[1m]`) })).toEqual({ unowned: { a: [2, 0] }, counted: 12 });
    expect(await spentIn({ "p/a.jsonl": lines("gateway/opus") })).toEqual({ unowned: { a: [2, 0] }, counted: 12 });
  });

  it("leaves a difference if more was counted than the total states", async () => {
    const lines = [...turn("a", 1, [5, 0, 0, 5]), total(0, 3, { [OPUS]: [4, 0, 0, 6] })];
    expect(await spentIn({ "p/a.jsonl": lines })).toEqual({ unowned: { a: [1, 1] }, counted: 11 });
  });
});
