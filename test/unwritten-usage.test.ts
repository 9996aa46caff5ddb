import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { answers, open, scratch } from "./store/fixture.ts";

/** Lines as Claude Code 2.1.325 writes them, cut down to what is read; totals as its `cost-state` states them. */
type Line = Record<string, unknown>;
type Counts = [input: number, cached: number, written: number, output: number];

const T0 = Date.UTC(2026, 10, 15, 7);
const at = (second: number): string => new Date(T0 + second * 1000).toISOString();

const chain = (session: string, second: number, type: string, more: Line): Line => ({
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
    chain(session, second, "user", {
      message: { role: "user", content: `ask ${second}` },
      promptSource: "sdk",
      ...more,
    }),
    chain(session, second + 1, "assistant", {
      message: { ...message, usage: usageOf(counts) },
      requestId: `r-${session}-${second}`,
      ...more,
    }),
  ];
}

const boundary = (session: string, second: number): Line =>
  chain(session, second, "system", { subtype: "compact_boundary", compactMetadata: { trigger: "auto" } });

/** `since` and `ran`, in seconds: when the first process of the count began, and how long all of them ran. */
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
  /** By session: what no turn owns, and by how much more was counted than stated. */
  unowned: Record<string, [tokens: number, difference: number | null]>;
  counted: number;
}

/** Told of the same files directly, by the sums before the first sync, and from the book, also as the files grow. */
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
  expect(await grown(files)).toEqual(JSON.stringify((await direct.usage(daily)).rows));
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

/** The same files written line by line, synced after each. */
async function grown(files: Record<string, Line[]>): Promise<string> {
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

describe("usage that only a total tells", () => {
  it("is the session's, and no turn's", async () => {
    const lines = [
      ...turn("a", 1, [10, 20, 30, 40]),
      boundary("a", 5),
      total(0, 6, { [OPUS]: [11, 22, 33, 44], [HAIKU]: [1, 0, 0, 2] }),
    ];
    expect(await spentIn({ "p/a.jsonl": lines })).toEqual({ unowned: { a: [13, 0] }, counted: 113 });
  });

  it("counts once, however often the total is stated, and grows with it", async () => {
    const lines = [
      ...turn("a", 1, [1, 1, 1, 1]),
      total(0, 3, { [OPUS]: [3, 1, 1, 1] }),
      total(0, 3, { [OPUS]: [3, 1, 1, 1] }),
      ...turn("a", 10, [1, 1, 1, 1]),
      total(0, 5, { [OPUS]: [4, 2, 2, 5] }),
    ];
    expect(await spentIn({ "p/a.jsonl": lines })).toEqual({ unowned: { a: [5, 0] }, counted: 13 });
  });

  it("is none where subagents spent it, at any depth, whichever file is read first", async () => {
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

  it("of a fork whose origin's file is gone is all that no copy tells", async () => {
    const copies = turn("a", 1, [10, 0, 0, 1]).map((line) => ({ ...line, sessionId: "f" }));
    const asked = { type: "queue-operation", operation: "enqueue", timestamp: at(10), sessionId: "f" };
    const fork = [asked, ...copies, ...turn("f", 10, [100, 0, 0, 10]), total(0, 8, { [OPUS]: [115, 0, 0, 20] })];
    expect(await spentIn({ "p/f.jsonl": fork })).toEqual({ unowned: { f: [14, 0] }, counted: 135 });
  });

  it("is not made up of what a killed process told and never stated", async () => {
    // The first process was killed: the count began again with the second, and holds nothing of the first.
    const anew = [
      ...turn("a", 1, [50, 0, 0, 5]),
      ...turn("a", 100, [7, 0, 0, 7]),
      total(99, 3, { [OPUS]: [8, 0, 0, 9] }),
    ];
    expect(await spentIn({ "p/a.jsonl": anew })).toEqual({ unowned: { a: [3, 0] }, counted: 72 });
    // A process was killed between two that went on with one count.
    const between = [
      ...turn("a", 1, [1, 0, 0, 1]),
      total(0, 3, { [OPUS]: [1, 0, 0, 1] }),
      ...turn("a", 50, [50, 0, 0, 5]),
      ...turn("a", 100, [7, 0, 0, 7]),
      total(0, 6, { [OPUS]: [10, 0, 0, 9] }),
    ];
    expect(await spentIn({ "p/a.jsonl": between })).toEqual({ unowned: { a: [3, 0] }, counted: 74 });
  });

  it("leaves out streams that were cut, unless everything adds up with them", async () => {
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

  it("is compared over all models where the total calls them otherwise", async () => {
    const lines = (name: string): Line[] => [...turn("a", 1, [5, 0, 0, 5]), total(0, 3, { [name]: [6, 0, 0, 6] })];
    expect(await spentIn({ "p/a.jsonl": lines(`${OPUS}[1m]`) })).toEqual({ unowned: { a: [2, 0] }, counted: 12 });
    expect(await spentIn({ "p/a.jsonl": lines("gateway/opus") })).toEqual({ unowned: { a: [2, 0] }, counted: 12 });
  });

  it("shows what was counted and is in no total", async () => {
    const lines = [...turn("a", 1, [5, 0, 0, 5]), total(0, 3, { [OPUS]: [4, 0, 0, 6] })];
    expect(await spentIn({ "p/a.jsonl": lines })).toEqual({ unowned: { a: [1, 1] }, counted: 11 });
  });
});
