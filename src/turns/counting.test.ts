import { describe, expect, it } from "vitest";
import type { UsageBody } from "../record/record.ts";
import { noTokens } from "../record/tokens.ts";
import { countOnce } from "./count-once.ts";
import type { TokenBalance, UsageEvent } from "./model.ts";
import { templateHead, sentPrompt, markRepeated, findTyped, type SentPrompt } from "./repeated.ts";
import { turnIndexOf, triggerOf, keyOfTurn, type Session, type Turn } from "./session.ts";
import { Slices } from "./slices.ts";
import { spent } from "./testing.ts";
import { toUsageEvent, UsageLedger } from "./usage-ledger.ts";

const events = (): Slices<UsageEvent> => new Slices<UsageEvent>(8, ({ response_id }) => response_id);

describe("usage statements of a file", () => {
  const EMPTY: TokenBalance = { tokens_read: 0, counted: 0, duplicates: 0, inherited: 0, estimates: 0 };
  const statement = (n: number, verdict: UsageBody["verdict"] = "counted", more: Partial<UsageBody> = {}): UsageBody =>
    spent("r", { output_tokens: n }, { verdict, ...more });
  const balance = (...bodies: UsageBody[]): TokenBalance => {
    const ledger = new UsageLedger(events());
    for (const [i, body] of bodies.entries()) ledger.add(body, i + 1, null, 0);
    return ledger.balance;
  };

  it.each<[name: string, bodies: UsageBody[], expected: Partial<TokenBalance>]>([
    ["a single statement", [statement(5)], { tokens_read: 5, counted: 5 }],
    ["a duplicate", [statement(5), statement(5, "duplicate")], { tokens_read: 10, counted: 5, duplicates: 5 }],
    ["an estimate", [statement(5, "estimate")], { tokens_read: 5, estimates: 5 }],
    ["a larger statement", [statement(5), statement(9)], { tokens_read: 14, counted: 9, duplicates: 5 }],
    ["a smaller statement", [statement(9), statement(5)], { tokens_read: 14, counted: 9, duplicates: 5 }],
    ["an equal statement", [statement(5), statement(5)], { tokens_read: 10, counted: 5, duplicates: 5 }],
    ["a copy", [statement(5, "inherited")], { tokens_read: 5, inherited: 5 }],
    ["a copy of a copy", [statement(5, "inherited"), statement(5, "inherited")], { tokens_read: 10, inherited: 10 }],
    [
      "an own statement after a copy",
      [statement(5, "inherited"), statement(9)],
      { tokens_read: 14, inherited: 5, counted: 9 },
    ],
    [
      "a smaller own statement after a copy",
      [statement(9, "inherited"), statement(5)],
      { tokens_read: 14, counted: 9, duplicates: 5 },
    ],
    [
      "a copy after an own statement",
      [statement(5), statement(5, "inherited")],
      { tokens_read: 10, counted: 5, inherited: 5 },
    ],
    [
      "a larger copy after an own statement",
      [statement(5), statement(9, "inherited")],
      { tokens_read: 14, counted: 9, duplicates: 5 },
    ],
  ])("count every token once: %s", (_, bodies, expected) => {
    const found = balance(...bodies);
    expect(found).toEqual({ ...EMPTY, ...expected });
    expect(found.tokens_read).toBe(found.counted + found.duplicates + found.inherited + found.estimates);
  });

  it("continue from a saved balance", () => {
    const ledger = new UsageLedger(events(), { ...EMPTY, tokens_read: 3, counted: 3 });
    ledger.add(statement(5), 1, null, 0);
    expect(ledger.balance).toEqual({ ...EMPTY, tokens_read: 8, counted: 8 });
  });

  it("return the response as it is now and as it was before", () => {
    const ledger = new UsageLedger(events());
    expect(ledger.add(statement(5), 1, 7, 2)).toMatchObject({
      before: null,
      event: { line: 1, time: 7, turn: 2, output_tokens: 5 },
    });
    const more = ledger.add(statement(9, "counted", { cut: true }), 3, 8, 2);
    expect(more).toMatchObject({ before: { output_tokens: 5 }, event: { output_tokens: 9, cut: true } });
    expect(ledger.add(statement(9, "duplicate"), 4, 8, 2)).toBeNull();
    expect(ledger.add(statement(1), 5, 8, 2)?.event).toMatchObject({ output_tokens: 9, cut: true });
    const plain = new UsageLedger(events());
    plain.add(statement(5), 1, 7, 2);
    expect(plain.add(statement(9), 2, 7, 2)?.event).not.toHaveProperty("cut");
  });

  it("have zero bytes and lone surrogates in ids and models replaced", () => {
    const named = (id: string, model: string | null): unknown[] => {
      const { response_id, model: stored } = toUsageEvent(spent(id, {}, { model }), 1, null, null);
      return [response_id, stored];
    };
    expect(named("a\0b\uD800c", "m\0")).toEqual(["a\uFFFDb\uFFFDc", "m\uFFFD"]);
    expect(named("a\u{1F600}", null)).toEqual(["a\u{1F600}", null]);
  });

  it("are marked if they are copied or cut off", () => {
    expect(toUsageEvent(statement(5), 1, null, null)).toEqual({
      ...noTokens(),
      response_id: "r",
      model: "m",
      time: null,
      line: 1,
      turn: null,
      output_tokens: 5,
    });
    expect(toUsageEvent(statement(5, "inherited"), 1, null, null).copied).toBe(true);
    expect(toUsageEvent(statement(5, "counted", { cut: true }), 1, null, null).cut).toBe(true);
  });
});

describe("a response in several sessions", () => {
  interface Statement {
    n: number;
    copied?: boolean;
    id?: string;
  }
  function session(name: string, ...list: Statement[]): Session {
    const usage = list.map(({ n, copied, id = "r" }) => ({
      event: { ...toUsageEvent(spent(id, { output_tokens: n }), 1, null, null), ...(copied === true && { copied }) },
      turn: null,
      owner: null,
    }));
    const read = list.reduce((sum, { n }) => sum + n, 0);
    const inherited = list.reduce((sum, { n, copied }) => sum + (copied === true ? n : 0), 0);
    const tokens = { tokens_read: read, counted: read - inherited, duplicates: 0, inherited, estimates: 0 };
    return { source: "toy", session_id: name, usage, tokens, cause: null } as unknown as Session;
  }
  const countedOnce = (...sessions: Session[]): [string, number[], number, number, number, number][] => {
    countOnce(sessions);
    return sessions.map(({ session_id, usage, tokens }) => [
      ...([session_id, usage.map(({ event }) => event.output_tokens)] as const),
      ...([tokens.tokens_read, tokens.counted, tokens.duplicates, tokens.inherited] as const),
    ]);
  };

  it("counts for the first session that states it as its own", () => {
    expect(countedOnce(session("a", { n: 5 }), session("b", { n: 5 }), session("c", { n: 3 }))).toEqual([
      ["a", [5], 5, 5, 0, 0],
      ["b", [], 5, 0, 5, 0],
      ["c", [], 3, 0, 3, 0],
    ]);
    expect(countedOnce(session("a", { n: 5, copied: true }), session("b", { n: 5 }))).toEqual([
      ["a", [], 5, 0, 0, 5],
      ["b", [5], 5, 5, 0, 0],
    ]);
  });

  it("counts with the tokens of its largest statement, in the balance of its owner", () => {
    expect(countedOnce(session("a", { n: 5 }), session("b", { n: 9 }))).toEqual([
      ["a", [9], 14, 9, 5, 0],
      ["b", [], 0, 0, 0, 0],
    ]);
    expect(countedOnce(session("a", { n: 9, copied: true }), session("b", { n: 5 }))).toEqual([
      ["a", [], 0, 0, 0, 0],
      ["b", [9], 14, 9, 5, 0],
    ]);
    expect(countedOnce(session("a", { n: 5 }), session("b", { n: 7 }), session("c", { n: 9 }))).toEqual([
      ["a", [9], 14, 9, 5, 0],
      ["b", [], 7, 0, 7, 0],
      ["c", [], 0, 0, 0, 0],
    ]);
  });

  it("is not counted if all statements are copies", () => {
    expect(countedOnce(session("a", { n: 5, copied: true }), session("b", { n: 5, copied: true }))).toEqual([
      ["a", [], 5, 0, 0, 5],
      ["b", [], 5, 0, 0, 5],
    ]);
    expect(countedOnce(session("a", { n: 5, copied: true }))).toEqual([["a", [], 5, 0, 0, 5]]);
  });

  it("connects its owner with each other session once", () => {
    const [a, b, c] = [
      session("a", { n: 1 }, { n: 2, id: "s" }),
      session("b", { n: 1 }, { n: 2, id: "s" }),
      session("c", { n: 1 }),
    ];
    const names = (pairs: [Session, Session][]): string[] => pairs.map(([x, y]) => x.session_id + y.session_id);
    expect(names(countOnce([a, b, c]))).toEqual(["ab", "ac"]);
    expect(names(countOnce([session("a", { n: 1 }, { n: 1 })]))).toEqual([]);
    expect(names(countOnce([session("a", { n: 1 }), session("b", { n: 1, id: "other" })]))).toEqual([]);
  });
});

describe("a repeated long prompt", () => {
  const body = Array.from({ length: 12 }, (_, i) => `Step ${i}: ${"do this and then that, ".repeat(4)}`);
  const filled = (typed: string): string => ["## Release the thing", "", ...body, `  ${typed}`].join("\n");
  const DAY = 86_400_000;
  const sent = (session: string, typed: string, more: Partial<SentPrompt> = {}): SentPrompt => ({
    session,
    ref: "T0001",
    time: 0,
    cwd: "/w",
    text: filled(typed),
    ...more,
  });
  const typed = (...list: SentPrompt[]): string[] => [...findTyped(list).values()];

  it("is a command if sent in three sessions on two days or in two directories", () => {
    const three = (more: Partial<SentPrompt>): SentPrompt[] => [
      sent("a", "one"),
      sent("b", "two"),
      sent("c", "three", more),
    ];
    const found = ["one", "two", "three"].map((word) => `Release the thing\n${word}`);
    expect(typed(...three({ time: DAY }))).toEqual(found);
    expect(typed(...three({ cwd: "/elsewhere" }))).toEqual(found);
    expect(typed(...three({}))).toEqual([]);
    expect(typed(...three({ time: null }))).toEqual([]);
    expect(typed(sent("a", "one"), sent("b", "two", { time: DAY }), sent("b", "three"))).toEqual([]);
    expect(typed(sent("a", "same"), sent("b", "same", { time: DAY }), sent("c", "same"))).toEqual([
      "Release the thing",
      "Release the thing",
      "Release the thing",
    ]);
  });

  it("is no command if too much of it was typed or too few lines are equal", () => {
    const long = (n: number): string => "w".repeat(n);
    const share = body.join("").length + "## Release the thing".length;
    const most = Math.floor((share / 0.85) * 0.15);
    const threeOf = (n: number): SentPrompt[] => [
      sent("a", `1${long(n)}`),
      sent("b", `2${long(n)}`),
      sent("c", `3${long(n)}`, { time: DAY }),
    ];
    expect(typed(...threeOf(most - 20))).toHaveLength(3);
    expect(typed(...threeOf(most + 20))).toEqual([]);
    const lines = (n: number): SentPrompt[] =>
      ["a", "b", "c"].map((session, i) => ({ ...sent(session, ""), time: i * DAY, text: body.slice(0, n).join("\n") }));
    expect(typed(...lines(9))).toHaveLength(3);
    expect(typed(...lines(8))).toEqual([]);
    const many = ["a", "b", "c"].map((session, i) => ({
      ...sent(session, ""),
      time: i * DAY,
      text: [
        ...Array.from({ length: 200 }, (_, k) => `shared ${k} ${long(80)}`),
        `${session}${long(2500)}`,
        "# tail",
      ].join("\n"),
    }));
    expect(typed(...many)[0]).toHaveLength("shared 0 ".length + 80 + 1 + 2000);
  });

  const turn = (id: string, trigger: object, more: object = {}): Turn => {
    const session = { source: "toy", session_id: id, meta: { kind: "root", cwd: "/w" }, turns: [] as Turn[], ...more };
    const fields = {
      session,
      ref: "T0001",
      draft: { trigger: { kind: "prompt", entry: "interactive", time: 0, ...trigger } },
    };
    session.turns.push(fields as unknown as Turn);
    return fields as unknown as Turn;
  };

  it("is grouped by its first line if a human sent it and it is long enough", () => {
    const text = filled("x");
    expect(templateHead(turn("a", { text }))).toBe("## Release the thing");
    for (const entry of ["headless", "sdk", "automated"]) expect(templateHead(turn("a", { text, entry }))).toBeNull();
    expect(templateHead(turn("a", { text, kind: "command" }))).toBeNull();
    const exactly = (n: number): string => `${"y\n".repeat(10)}${"z".repeat(n - 20)}`;
    expect(templateHead(turn("a", { text: exactly(800) }))).toBe("y");
    expect(templateHead(turn("a", { text: exactly(799) }))).toBeNull();
    const lines = (n: number): string => Array.from({ length: n }, () => "v".repeat(300)).join("\n\n");
    expect(templateHead(turn("a", { text: lines(10) }))).toBe("v".repeat(200));
    expect(templateHead(turn("a", { text: lines(9) }))).toBeNull();
  });

  it("is marked only in root sessions of agents that record no commands", () => {
    const three = (source = "toy", kind = "root"): Turn[] =>
      ["a", "b", "c"].map((id, i) =>
        turn(id, { text: filled(id), time: i * DAY }, { source, meta: { kind, cwd: "/w" } }),
      );
    const marked = (turns: Turn[]): unknown[] => {
      markRepeated(
        turns.map(({ session }) => session),
        (source) => source === "toy",
      );
      return turns.map((one) => one.typed);
    };
    expect(marked(three())).toEqual(["Release the thing\na", "Release the thing\nb", "Release the thing\nc"]);
    expect(marked(three("other"))).toEqual([undefined, undefined, undefined]);
    expect(marked(three("toy", "subagent"))).toEqual([undefined, undefined, undefined]);
    const others = ["a", "b", "c"].map((id, i) => turn(id, { text: `Other ${i}\n${filled(id)}`, time: i * DAY }));
    expect(marked(others)).toEqual([undefined, undefined, undefined]);
    expect(sentPrompt(turn("a", { text: "t", time: 5 }))).toEqual({
      session: "toy/a",
      ref: "T0001",
      time: 5,
      cwd: "/w",
      text: "t",
    });
  });

  it("has a trigger of kind command, and of entry automated if it recurs", () => {
    const one = turn("a", { text: "long", reason: "toy.typed" });
    expect(triggerOf(one)).toMatchObject({ text: "long", kind: "prompt", entry: "interactive", reason: "toy.typed" });
    one.typed = "Release";
    expect(triggerOf(one)).toMatchObject({ text: "Release", kind: "command", reason: "repeated.template" });
    one.automated = "recurring.text";
    expect(triggerOf(one)).toMatchObject({ kind: "command", entry: "automated", reason: "recurring.text" });
  });

  it("is in a turn whose ref gives its index and key", () => {
    expect(turnIndexOf("T0012")).toBe(11);
    expect(keyOfTurn(turn("a", {}))).toBe("toy/a/T0001");
  });
});
