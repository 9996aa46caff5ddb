import { describe, expect, it } from "vitest";
import { noTokens } from "../record/tokens.ts";
import { changedSession, independentSets } from "./assemble.ts";
import type { FileDraft, Statement, UsageEvent } from "./model.ts";
import type { Session } from "./session.ts";
import { ask, build, done, spent, start, unplaced } from "./testing.ts";
import { countUnwritten, countUnwrittenAlone } from "./unwritten.ts";
import { sessionKey } from "../record/session-key.ts";

const output = (n: number): Statement["total"][number] => ({ ...noTokens(), model: "m", output_tokens: n });

function stated(total: number, more: Partial<Statement> = {}): Statement {
  return {
    counter: "c",
    includes_children: true,
    reason: "toy",
    since: null,
    elapsed: null,
    line: 1,
    time: 10,
    next: null,
    total: [output(total)],
    written: [],
    cut: [],
    ...more,
  };
}

function event(id: string, n: number, more: Partial<UsageEvent> = {}): UsageEvent {
  return { ...output(n), response_id: id, time: 5, line: 1, turn: null, ...more };
}

interface Given {
  statements?: Statement[];
  usage?: UsageEvent[];
  parent?: string;
  kind?: Session["meta"]["kind"];
  forked?: string;
  /** When the session's own first turn began. */
  began?: number;
  inherited?: number;
}

/** A session with the fields that are used here. */
function session(id: string, fields: Given = {}): Session {
  const { statements = [], usage = [], parent, forked, began, inherited = 0 } = fields;
  const meta = {
    parent: parent === undefined ? null : { source: "toy", session_id: parent },
    kind: fields.kind ?? (parent === undefined ? "root" : "subagent"),
    forked_from: forked ?? null,
  };
  return {
    source: "toy",
    session_id: id,
    meta,
    parts: [{ statements, usage }],
    usage: [],
    tokens: { tokens_read: 0, counted: 0, inherited: 0 },
    records: { inherited },
    totals: null,
    turns: began === undefined ? [] : [{ draft: { trigger: { time: began } } }],
    started_at: began ?? null,
  } as unknown as Session;
}

/** The usage without a record that is found for each session, once all are known. */
function unwritten(...sessions: Session[]): Record<string, number> {
  countUnwritten(sessions, new Map(sessions.map((one) => [sessionKey(one), one])));
  return Object.fromEntries(
    sessions.map((one) => [
      one.session_id,
      one.usage.reduce((n, { event: { output_tokens } }) => n + output_tokens, 0),
    ]),
  );
}

describe("usage without a record, found in stated totals", () => {
  it("belongs to the session and to no turn", () => {
    const one = session("a", { statements: [stated(9, { written: [output(4)] })] });
    expect(unwritten(one, session("b"))).toEqual({ a: 5, b: 0 });
    expect(one.usage).toMatchObject([{ turn: null, owner: null, event: { output_tokens: 5, reason: "toy" } }]);
    expect(one.tokens).toMatchObject({ tokens_read: 5, counted: 5 });
    expect(one.totals).toEqual({ stated: 9, difference: 0 });
    const alone = session("a", { statements: [stated(9, { written: [output(4)] })] });
    countUnwrittenAlone(alone);
    expect(alone).toEqual(one);
  });

  it("is none if no total is stated", () => {
    const one = session("a", { usage: [event("r", 3)] });
    countUnwrittenAlone(one);
    expect(unwritten(one)).toEqual({ a: 0 });
    expect(one.totals).toBeNull();
  });

  it("excludes what child sessions spent, at any depth, each once", () => {
    const a = session("a", { statements: [stated(100)] });
    const b = session("b", { parent: "a", usage: [event("r1", 10), event("r2", 7, { copied: true })] });
    const c = session("c", { parent: "b", usage: [event("r3", 20)] });
    const d = session("d", { parent: "c", usage: [event("r4", 1)] });
    const other = session("e", { parent: "x", usage: [event("r5", 50)] });
    // A companion driven by a human is not a child.
    const root = session("f", { parent: "a", kind: "root", usage: [event("r6", 40)] });
    expect(unwritten(a, b, c, d, other, root)).toMatchObject({ a: 69 });
    const loop = session("b", { parent: "c", usage: [event("r1", 10)] });
    const back = session("c", { parent: "b", statements: [stated(30)], usage: [event("r2", 5)] });
    expect(unwritten(loop, back)).toEqual({ b: 0, c: 20 });
  });

  it("excludes what a fork took over from its origin", () => {
    const origin = session("o", { statements: [stated(40, { time: 10 }), stated(60, { time: 30 })], began: 1 });
    const fork = (more: Given = {}): Session =>
      session("f", { forked: "o", began: 20, statements: [stated(45)], ...more });
    expect(unwritten(origin, fork())).toMatchObject({ f: 5 });
    // Without a time, the origin's last statement is used; with another counter, nothing is proven.
    const untimed = session("o", { statements: [stated(40, { time: null })] });
    expect(unwritten(untimed, fork())).toMatchObject({ f: 5 });
    expect(unwritten(session("o", { statements: [stated(40, { counter: "other" })] }), fork())).toMatchObject({ f: 0 });
    expect(unwritten(session("o"), fork())).toMatchObject({ f: 0 });
    const undated = session("f", { forked: "o", statements: [stated(65)] });
    expect(
      unwritten(session("o", { statements: [stated(40, { time: 10 }), stated(60, { time: 30 })] }), undated),
    ).toMatchObject({ f: 5 });
  });

  it("belongs to the fork if its counter began with it, or if the origin is missing and nothing was copied", () => {
    const origin = session("o", { statements: [stated(40)] });
    const fork = (since: number | null, more: Given = {}): Session =>
      session("f", { forked: "o", began: 20, statements: [stated(45, { since })], ...more });
    expect(unwritten(origin, fork(20))).toMatchObject({ f: 45 });
    expect(unwritten(origin, fork(19))).toMatchObject({ f: 5 });
    expect(unwritten(fork(null))).toEqual({ f: 45 });
    expect(unwritten(fork(null, { inherited: 3 }))).toEqual({ f: 0 });
  });

  it("is compared with the origin's origin if the origin states no total", () => {
    const first = session("a", { statements: [stated(30, { time: 5 })] });
    const second = session("b", { forked: "a", began: 8 });
    const third = session("c", { forked: "b", began: 20, statements: [stated(45)] });
    expect(unwritten(first, second, third)).toMatchObject({ c: 15 });
    // Sessions that are forks of each other prove nothing.
    const x = session("x", { forked: "y", statements: [stated(9)] });
    const y = session("y", { forked: "x" });
    expect(unwritten(x, y)).toMatchObject({ x: 0 });
    expect(unwritten(session("z", { forked: "z", statements: [stated(9)] }))).toEqual({ z: 9 });
  });
});

describe("a session built from changes", () => {
  it("contains the changed turns, calls and responses, linked to each other", () => {
    const draft = build([ask("one"), start("c"), unplaced("reaction", [spent("r", { output_tokens: 3 })]), done()]);
    const late = { ...event("late", 4), turn: 7 };
    const changed = { ...draft, usage: [...draft.usage, late], statements: [stated(9)] };
    const session = changedSession({ draft: changed } as Parameters<typeof changedSession>[0]);
    const [turn] = session.turns;
    expect(session.turns).toMatchObject([{ ref: "T0001", children: [], usage: [], calls: [] }]);
    expect(session.tools.map(({ call, turn: of }) => [call.call_id, of === turn])).toEqual([["c", true]]);
    expect(
      session.usage.map(({ event: { response_id }, turn: of, owner }) => [response_id, of === turn, owner === of]),
    ).toEqual([
      ["r", true, true],
      ["late", false, true],
      ["s#c#1#m", false, true],
    ]);
    expect(session.totals).toMatchObject({ stated: 9 });
  });
});

describe("independent sets of files", () => {
  const file = (id: string, more: object = {}): FileDraft =>
    ({
      source: "toy",
      session_id: id,
      children: [],
      turns: [],
      usage: [],
      meta: { forked_from: null, parent: null },
      ...more,
    }) as unknown as FileDraft;
  const sets = (...files: FileDraft[]): string[] =>
    independentSets(files).map((set) => set.map(({ session_id }) => session_id).join(" "));

  it("separate files that share nothing", () => {
    expect(sets(file("a"), file("b"), file("c"))).toEqual(["a", "b", "c"]);
    expect(sets()).toEqual([]);
    const answered = (id: string): FileDraft => file(id, { usage: [{ response_id: id }] });
    expect(sets(answered("a"), answered("b"))).toEqual(["a", "b"]);
    expect(sets(file("a", { turns: [{ identity: null }] }), file("b", { turns: [{ identity: null }] }))).toEqual([
      "a",
      "b",
    ]);
    expect(sets(file("a"), file("a", { source: "other" }))).toEqual(["a", "a"]);
  });

  it.each<[why: string, more: object]>([
    ["session", { session_id: "a" }],
    ["origin", { meta: { forked_from: "a", parent: null } }],
    ["parent", { meta: { forked_from: null, parent: { source: "toy", session_id: "a" } } }],
    ["child", { children: [{ child: { source: "toy", session_id: "a" } }] }],
    ["prompt", { turns: [{ identity: "p" }] }],
    ["response", { usage: [{ response_id: "r" }] }],
  ])("join files connected by %s", (_, more) => {
    const first = file("a", { turns: [{ identity: "p" }], usage: [{ response_id: "r" }] });
    const last = { ...file("z"), ...more };
    expect(independentSets([first, file("m"), last])).toEqual([[first, last], [file("m")]]);
    expect(independentSets([last, file("m"), first])).toEqual([[last, first], [file("m")]]);
  });

  it("join files that are connected through others", () => {
    const pair = (id: string, ...prompts: string[]): FileDraft =>
      file(id, { turns: prompts.map((identity) => ({ identity })) });
    expect(
      sets(pair("a", "1"), pair("b", "2"), pair("c", "3"), pair("d", "2", "3"), pair("e", "1", "3"), pair("f", "4")),
    ).toEqual(["a b c d e", "f"]);
  });
});
