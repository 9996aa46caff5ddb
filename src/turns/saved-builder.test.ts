import { describe, expect, it } from "vitest";
import type { RecordBody, SessionMetaBody, UsageTotalBody } from "../format/record.ts";
import type { DraftBuilder } from "./builder.ts";
import { askingCallId } from "./questions.ts";
import {
  ask,
  builderOf,
  done,
  finish,
  changesMissed,
  NO_DRIFT,
  placed,
  REF,
  say,
  spent,
  start,
  unplaced,
  restored,
  type UnplacedEntry,
} from "./testing.ts";

const META: SessionMetaBody = {
  type: "session_meta",
  source: "toy",
  kind: "root",
  cwd: "/w",
  started_at: "2026-01-01T00:00:00.000Z",
  agent_version: "1",
};

function use(id: string, output: number, more: Partial<UnplacedEntry> = {}, body: object = {}): UnplacedEntry {
  return unplaced("reaction", [spent(id, { output_tokens: output }, body)], more);
}

function total(counter: string, output: number, more: Partial<UsageTotalBody> = {}): RecordBody {
  const models = [{ ...spent("", { output_tokens: output }), model: "m" }];
  return { type: "usage_total", counter, includes_children: false, exact: true, models, ...more };
}

function cancelled(more: object): UnplacedEntry {
  return unplaced("reaction", [{ type: "cancelled", ...more } as RecordBody]);
}

function linked(phase: "spawned" | "returned", more: Partial<UnplacedEntry> = {}, body: object = {}): UnplacedEntry {
  const child = { source: "toy", session_id: "child" };
  return unplaced("reaction", [{ type: "child_linked", child, relation: "subagent", phase, ...body }], more);
}

function limit(id: string, time: number | null): UnplacedEntry {
  return unplaced("setup", [{ type: "context", rate_limits: { limit_id: id } }], { time });
}

/** Files that exercise everything a builder has to remember, together with records that show whether it did. */
const STORIES: { [name: string]: readonly UnplacedEntry[] } = {
  "outcomes and what is shared": [
    ask("a", { turnId: "A", identity: "A" }),
    say("x"),
    done({}, 70),
    ask("b"),
    ask("c", {}, { kind: "queued" }),
    ask("d", {}, { kind: "queued", ends_stated: true }),
    say("y"),
    say("late", { turnId: "A", time: 3 }),
    done(),
    say("goes on by itself"),
    ask("e"),
    say("no end"),
  ],
  "before the first prompt": [use("0", 1), start("0"), finish("0"), ask("a"), use("0", 5)],
  "a result that comes late": [
    ask("a"),
    start("1"),
    say("x"),
    ask("b", {}, { kind: "queued" }),
    ask("c", {}, { kind: "queued" }),
    done(),
    ask("d"),
    finish("1"),
  ],
  "a first prompt that was typed into nothing": [ask("a", {}, { kind: "queued" }), start("1"), say("x"), finish("1")],
  "only words": [ask("a"), say("x"), ask("b"), say("y"), done(), say("more"), ask("c"), say("z")],
  "calls and their results": [
    ask("a"),
    start("1", { time: 5 }),
    start("2", {}, { input: { command: "grep x y" } }),
    finish("3", { status: "denied", error: "The user declined", files: [{ path: "f", operation: "created" }] }),
    finish("2", { status: "failed", exit_code: 1 }),
    linked("spawned", {}, { call_id: "1", role: null }),
    ask("b"),
    linked("returned", { time: 8 }, { role: "r" }),
    start("3", { time: 4 }),
    finish("1", { status: "pending", files: [{ path: "g", operation: "modified" }] }),
    start("4", {}, { name: "AskUserQuestion" }),
    ask("c"),
    finish("4"),
    start("5"),
    linked("returned", { time: 9 }),
    say("D1 — which one?\nA) this\nB) that\nRecommendation: A"),
  ],
  "records of no turn, and of the one to come": [
    unplaced("setup", []),
    unplaced("session", [META]),
    unplaced("early", [spent("e", { output_tokens: 1 })]),
    unplaced("setup", []),
    ask("a", { time: 4 }),
    unplaced("early", [spent("f", { output_tokens: 2 })]),
    unplaced("setup", []),
    say("goes on"),
    unplaced("early", [spent("g", { output_tokens: 3 })]),
    unplaced("early", [spent("h", { output_tokens: 3 })]),
    unplaced("setup", []),
    unplaced("unknown", [], { reason: "toy.other" }),
    unplaced("setup", []),
    unplaced("early", []),
  ],
  "what is said of the session": [
    unplaced("session", [
      { ...META, stated: false, git: { branch: "b", remote: "r" }, model: "m", parent_turn_id: "T" },
    ]),
    unplaced("session", [{ type: "session_renamed", title: "mine", by: "human" }]),
    unplaced("setup", [{ type: "context", effort: "high", cwd: "/v" }]),
    limit("x", 5),
    limit("y", 6),
    ask("a"),
    unplaced("session", [{ type: "session_renamed", title: "its", by: "agent" }]),
    limit("x", 4),
    limit("x", 7),
    unplaced("setup", [{ type: "context", model: "n" }]),
    use("1", 4, {}, { model: "n" }),
    use("2", 4, {}, { model: "m" }),
    unplaced("corrupt", [{ type: "unreadable", reason: "torn", bytes: 9, hint: "h" }]),
    unplaced("session", [META], { native: "session_meta", identity: "named" }),
    use("3", 4, {}, { model: "n" }),
    ask("b"),
  ],
  "what was spent, and what the agent says of it": [
    unplaced("inherited", [total("x", 40)], { time: 1 }),
    unplaced("inherited", [spent("0", { output_tokens: 40 }, { verdict: "inherited" })], { time: 9 }),
    ask("a", { time: 20 }),
    use("1", 5, { time: 30 }),
    unplaced("session", [total("x", 45)]),
    use("1", 7),
    use("2", 3, { time: 32 }, { cut: true }),
    use("2", 4, { time: 34 }, { cut: true }),
    unplaced("session", [total("y", 7)]),
    unplaced("session", [total("z", 20, { unwritten: "toy", since: new Date(25).toISOString(), elapsed_ms: 10 })]),
    unplaced("reaction", [{ type: "compacted", trigger: "auto" }], { time: 41 }),
    use("3", 2, { time: 42 }),
    ask("b", { time: 60 }),
    use("4", 1),
    use("0", 50, { time: 61 }),
    unplaced("session", [total("x", 60), total("z", 30, { unwritten: "toy", elapsed_ms: 15 })]),
    use("1", 1, { time: 70 }, { verdict: "duplicate" }),
    use("5", 1, {}, { verdict: "estimate" }),
  ],
  times: [
    unplaced("inherited", [], { time: 50 }),
    ask("a"),
    use("1", 1),
    say("x", { time: 40 }),
    say("y", { time: 45 }),
    ask("b"),
    say("z", { time: 30 }),
    say("w"),
    unplaced("corrupt", [], { time: 99 }),
    ask("c"),
    use("2", 1),
  ],
  "what was taken back": [
    ask("a"),
    ask("b"),
    cancelled({ reason: "rolled_back", turns: 1 }),
    ask("c"),
    cancelled({ reason: "rewound", from_line: 4 }),
    ask("d"),
    cancelled({ reason: "rolled_back", turns: 2 }),
  ],
};

/** Enough entries that the lists have full slices, with later records about elements in the first of them. */
function long(): UnplacedEntry[] {
  const turns = Array.from({ length: 40 }, (_, t): UnplacedEntry[] => [
    unplaced("setup", [{ type: "context", model: `m${t}` }]),
    unplaced("setup", [{ type: "context", effort: `e${t}` }]),
    unplaced("setup", [{ type: "context", sandbox: `s${t}` }]),
    unplaced("setup", [{ type: "context", cwd: `/w${t}` }]),
    ask(`ask ${t}`, { turnId: `T${t}`, identity: `I${t}`, time: 100 * t }, t % 5 === 4 ? { kind: "queued" } : {}),
    ...Array.from({ length: 4 }, (__, n) => start(`c${4 * t + n}`)),
    start(`q${t}`, {}, { name: "AskUserQuestion" }),
    ...Array.from({ length: 7 }, (__, n) => use(`r${7 * t + n}`, 1 + n)),
    ...(t % 2 === 0 ? [finish(`c${4 * t}`), finish(`q${t}`)] : []),
    ...(t % 3 === 0 ? [done()] : []),
  ]);
  return [
    ...turns.flat(),
    say("late words", { turnId: "T3", time: 9000 }),
    use("r15", 50),
    finish("c9", { status: "ok", files: [{ path: "f", operation: "created" }] }),
    finish("q1"),
    ask("last"),
    cancelled({ reason: "rewound", from_line: 60 }),
  ];
}

describe("a builder that rested", () => {
  for (const [name, story] of Object.entries(STORIES)) {
    it(`goes on as if it never had: ${name}`, () => {
      const entries = placed(story);
      const once = builderOf(entries).finish(NO_DRIFT);
      for (const cut of entries.keys()) expect(builderOf(entries, [cut]).finish(NO_DRIFT)).toEqual(once);
      expect(builderOf(entries, [...entries.keys()]).finish(NO_DRIFT)).toEqual(once);
    });

    it(`tells all that became different: ${name}`, () => {
      const entries = placed(story);
      for (const cut of entries.keys()) expect(changesMissed(entries, cut)).toEqual([]);
    });
  }

  it("wakes what the end of a long file is about", () => {
    const entries = placed(long());
    const once = builderOf(entries).finish(NO_DRIFT);
    const n = entries.length;
    for (const rests of [[n - 6], [300, 301, 500, n - 6, n - 5, n - 4, n - 3, n - 2, n - 1]])
      expect(builderOf(entries, rests).finish(NO_DRIFT)).toEqual(once);
    for (const cut of [n - 6, n - 1]) expect(changesMissed(entries, cut)).toEqual([]);
  });

  it("tells no more than that of a long file", () => {
    const entries = placed(long());
    const after = (from: number): DraftBuilder => {
      const builder = restored(builderOf(entries.slice(0, from)));
      for (const entry of entries.slice(from, from + 1)) builder.push(entry);
      return builder;
    };
    const n = entries.length;
    const changedBy = (from: number): unknown[] => {
      const { draft } = after(from).changes(NO_DRIFT);
      const turns = draft.turns.map((turn) => turn.index).toSorted((a, b) => a - b);
      // A call that nothing settled may be settled by the end of its turn.
      expect([...new Set(draft.tools.map((call) => call.turn))]).toEqual(turns);
      expect(draft.contexts).toEqual([]);
      return [turns, draft.usage.map((event) => event.response_id)];
    };
    // The turn the record is about, the running turn, and the turn before it, which shares its outcome.
    expect(changedBy(n - 6)).toEqual([[3, 38, 39], []]);
    expect(changedBy(n - 5)).toEqual([[2, 38, 39], ["r15"]]);
    expect(changedBy(n - 4)).toEqual([[2, 38, 39], []]);
  });

  it("counts lines from where its session begins inside a larger file", () => {
    const entries = placed([ask("a"), say("b")]).map((entry) => ({ ...entry, line: entry.line + 10 }));
    const ref = { ...REF, key: "k" };
    expect(builderOf(entries, [1], ref).finish(NO_DRIFT)).toMatchObject({ lines: 2, last_line: 12 });
  });

  it("finds its file where it stands now", () => {
    const bad = unplaced("corrupt", [{ type: "unreadable", reason: "torn", bytes: 9, hint: "h" }]);
    const builder = builderOf(placed([bad]));
    expect(builder.save().diagnostics).toMatchObject([{ line: 1, path: "" }]);
    const moved = restored(builder, undefined, { ...REF, path: "/elsewhere" });
    expect(moved.summary.diagnostics).toMatchObject([{ line: 1, path: "/elsewhere" }]);
  });

  it("is not changed by what was made of it", () => {
    const story = placed(Object.values(STORIES).flat());
    const builder = builderOf(story);
    const saved = structuredClone(builder.save());
    const other = restored(builder);
    for (const entry of story) other.push(entry);
    expect(builder.save()).toEqual(saved);
  });
});

describe("the prompts of a file", () => {
  it("are named when they are new", () => {
    const entries = placed([
      ask("a", { identity: "A" }),
      ask("b", { identity: "B" }),
      ask("c", { identity: "C" }),
      ask("d"),
    ]);
    const before = builderOf(entries.slice(0, 2));
    expect(before.identities()).toEqual(["A", "B"]);
    const builder = restored(before);
    expect(builder.identities()).toEqual([]);
    for (const entry of entries.slice(2)) builder.push(entry);
    expect(builder.identities()).toEqual(["C"]);
    expect(builder.summary.session_id).toBe("s");
    const header = unplaced("session", [META], { native: "session_meta", identity: "new" });
    for (const entry of placed([header])) builder.push(entry);
    expect(builder.identities()).toEqual(["A", "B", "C"]);
  });
});

describe("entries that are void", () => {
  const base = placed([ask("a"), start("1"), use("r", 1), ask("b"), say("x"), start("2"), use("s", 1)]);
  /**
   * The drafts of two builders that continued from the same point, the second one including what the first one changed.
   */
  const both = (
    gone: readonly UnplacedEntry[],
    now: readonly UnplacedEntry[],
  ): { knows: boolean; unplaced: unknown } => {
    const rested = builderOf(base);
    const [first, second] = [restored(rested), restored(rested)];
    for (const entry of placed(gone)) first.push({ ...entry, line: entry.line + base.length });
    for (const entry of placed(now)) second.push({ ...entry, line: entry.line + base.length });
    const knows = second.includeChanges(first.changes(NO_DRIFT));
    const { draft, calls } = second.changes(NO_DRIFT);
    const turns = draft.turns.map((turn) => turn.index).toSorted((a, b) => a - b);
    return { knows, unplaced: [turns, calls, draft.usage.map((one) => one.response_id)] };
  };

  it("changed what is told again as it is without them", () => {
    expect(both([finish("1")], [say("y")])).toEqual({ knows: true, unplaced: [[0, 1], [0, 1], []] });
    expect(both([use("r", 9)], [say("y")])).toEqual({ knows: true, unplaced: [[0, 1], [0, 1], ["r"]] });
    expect(both([use("s", 9)], [say("y")])).toEqual({ knows: true, unplaced: [[1], [1], ["s"]] });
    expect(both([say("y")], [use("s", 9)])).toEqual({ knows: true, unplaced: [[1], [1], ["s"]] });
  });

  it("are not known where they made what is not there any more", () => {
    expect(both([ask("c")], [say("y")]).knows).toBe(false);
    expect(both([ask("c")], [ask("d")]).knows).toBe(true);
    expect(both([start("3")], [say("y")]).knows).toBe(false);
    expect(both([start("3")], [start("4")]).knows).toBe(true);
    expect(both([use("t", 1)], [say("y")]).knows).toBe(false);
    expect(both([use("t", 1)], [use("t", 2)]).knows).toBe(true);
    expect(both([start("q", {}, { name: "AskUserQuestion" })], [start("4")]).knows).toBe(false);
  });
});

describe("a call that asks", () => {
  it("is known by its id", () => {
    const place = { line: 1, time: null, turn: null };
    expect(askingCallId({ ...place, body: { type: "tool_started", call_id: "1", name: "x", input: null } })).toBe("1");
    expect(askingCallId({ ...place, body: { type: "assistant_finished", text: "x" } })).toBeNull();
  });
});
