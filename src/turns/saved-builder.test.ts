import { describe, expect, it } from "vitest";
import type { RecordBody, SessionMetaBody, UsageTotalBody } from "../record/record.ts";
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
  "outcomes, also shared ones": [
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
  "records before the first prompt": [use("0", 1), start("0"), finish("0"), ask("a"), use("0", 5)],
  "a late tool result": [
    ask("a"),
    start("1"),
    say("x"),
    ask("b", {}, { kind: "queued" }),
    ask("c", {}, { kind: "queued" }),
    done(),
    ask("d"),
    finish("1"),
  ],
  "a queued prompt without a turn before it": [ask("a", {}, { kind: "queued" }), start("1"), say("x"), finish("1")],
  "text without tool calls": [ask("a"), say("x"), ask("b"), say("y"), done(), say("more"), ask("c"), say("z")],
  "tool calls and results": [
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
  "records without a turn or of the next turn": [
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
  "session metadata and settings": [
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
  "usage and stated totals": [
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
  "turns taken back": [
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

describe("a restored builder", () => {
  for (const [name, story] of Object.entries(STORIES)) {
    it(`continues as if it had never been saved: ${name}`, () => {
      const entries = placed(story);
      const once = builderOf(entries).finish(NO_DRIFT);
      for (const cut of entries.keys()) expect(builderOf(entries, [cut]).finish(NO_DRIFT)).toEqual(once);
      expect(builderOf(entries, [...entries.keys()]).finish(NO_DRIFT)).toEqual(once);
    });

    it(`reports all changes: ${name}`, () => {
      const entries = placed(story);
      for (const cut of entries.keys()) expect(changesMissed(entries, cut)).toEqual([]);
    });
  }

  it("loads the stored elements that the end of a long file changes", () => {
    const entries = placed(long());
    const once = builderOf(entries).finish(NO_DRIFT);
    const n = entries.length;
    for (const restarts of [[n - 6], [300, 301, 500, n - 6, n - 5, n - 4, n - 3, n - 2, n - 1]])
      expect(builderOf(entries, restarts).finish(NO_DRIFT)).toEqual(once);
    for (const cut of [n - 6, n - 1]) expect(changesMissed(entries, cut)).toEqual([]);
  });

  it("reports only the elements that one record of a long file changes", () => {
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

  it("counts lines from where its session begins if it is part of a larger file", () => {
    const entries = placed([ask("a"), say("b")]).map((entry) => ({ ...entry, line: entry.line + 10 }));
    const ref = { ...REF, key: "k" };
    expect(builderOf(entries, [1], ref).finish(NO_DRIFT)).toMatchObject({ lines: 2, last_line: 12 });
  });

  it("reports diagnostics with the current path of its file", () => {
    const bad = unplaced("corrupt", [{ type: "unreadable", reason: "torn", bytes: 9, hint: "h" }]);
    const builder = builderOf(placed([bad]));
    expect(builder.save().diagnostics).toMatchObject([{ line: 1, path: "" }]);
    const moved = restored(builder, undefined, { ...REF, path: "/elsewhere" });
    expect(moved.summary.diagnostics).toMatchObject([{ line: 1, path: "/elsewhere" }]);
  });

  it("leaves the builder it was restored from unchanged", () => {
    const story = placed(Object.values(STORIES).flat());
    const builder = builderOf(story);
    const saved = structuredClone(builder.save());
    const other = restored(builder);
    for (const entry of story) other.push(entry);
    expect(builder.save()).toEqual(saved);
  });
});

describe("prompt identities", () => {
  it("are reported if new, and all of them if the session's id changes", () => {
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

describe("changes made by entries that are void now", () => {
  const base = placed([ask("a"), start("1"), use("r", 1), ask("b"), say("x"), start("2"), use("s", 1)]);
  /**
   * What a builder reports as changed if it includes the changes of another one, whose entries are void now. Both
   * continued from the same saved builder.
   */
  const continued = (
    voidEntries: readonly UnplacedEntry[],
    newEntries: readonly UnplacedEntry[],
  ): { included: boolean; changed: unknown } => {
    const saved = builderOf(base);
    const [first, second] = [restored(saved), restored(saved)];
    for (const entry of placed(voidEntries)) first.push({ ...entry, line: entry.line + base.length });
    for (const entry of placed(newEntries)) second.push({ ...entry, line: entry.line + base.length });
    const included = second.includeChanges(first.changes(NO_DRIFT));
    const { draft, calls } = second.changes(NO_DRIFT);
    const turns = draft.turns.map((turn) => turn.index).toSorted((a, b) => a - b);
    return { included, changed: [turns, calls, draft.usage.map((one) => one.response_id)] };
  };

  it("are reported again with the current state", () => {
    expect(continued([finish("1")], [say("y")])).toEqual({ included: true, changed: [[0, 1], [0, 1], []] });
    expect(continued([use("r", 9)], [say("y")])).toEqual({ included: true, changed: [[0, 1], [0, 1], ["r"]] });
    expect(continued([use("s", 9)], [say("y")])).toEqual({ included: true, changed: [[1], [1], ["s"]] });
    expect(continued([say("y")], [use("s", 9)])).toEqual({ included: true, changed: [[1], [1], ["s"]] });
  });

  it("cannot be included if an element they added no longer exists", () => {
    expect(continued([ask("c")], [say("y")]).included).toBe(false);
    expect(continued([ask("c")], [ask("d")]).included).toBe(true);
    expect(continued([start("3")], [say("y")]).included).toBe(false);
    expect(continued([start("3")], [start("4")]).included).toBe(true);
    expect(continued([use("t", 1)], [say("y")]).included).toBe(false);
    expect(continued([use("t", 1)], [use("t", 2)]).included).toBe(true);
    expect(continued([start("q", {}, { name: "AskUserQuestion" })], [start("4")]).included).toBe(false);
  });
});

describe("askingCallId", () => {
  it("returns the id of a started call, and null for other records", () => {
    const place = { line: 1, time: null, turn: null };
    expect(askingCallId({ ...place, body: { type: "tool_started", call_id: "1", name: "x", input: null } })).toBe("1");
    expect(askingCallId({ ...place, body: { type: "assistant_finished", text: "x" } })).toBeNull();
  });
});
