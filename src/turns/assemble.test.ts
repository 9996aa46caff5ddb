import { describe, expect, it } from "vitest";
import type { RecordBody } from "../record/record.ts";
import {
  ask,
  say,
  spent,
  start,
  unplaced,
  Store,
  header,
  known,
  use,
  sessionsOf,
  texts,
  type UnplacedEntry,
  type File,
} from "./testing.ts";

describe("files of one session", () => {
  it("are its parts in order of time, with turns numbered across them", () => {
    const [session, ...more] = sessionsOf([
      { path: "/a", session: "s", story: [known("later", 20), say("x", { time: 21 })] },
      { path: "/b", session: "s", story: [known("first", 10), known("second", 11)] },
    ]);
    expect(more).toEqual([]);
    expect(session?.parts.map((part) => part.path)).toEqual(["/b", "/a"]);
    expect(session?.turns.map(({ ref, draft, part }) => [ref, draft.trigger.text, part.path])).toEqual([
      ["T0001", "first", "/b"],
      ["T0002", "second", "/b"],
      ["T0003", "later", "/a"],
    ]);
    expect(session).toMatchObject({ path: "/a", started_at: 10, ended_at: 21 });
  });

  it("are sorted by the position they continue from, then time, size (largest first) and path", () => {
    const at = (from: number): RecordBody => ({ type: "cancelled", reason: "rewound", from_line: from });
    const segment = (text: string, from: number): UnplacedEntry =>
      unplaced("trigger", [{ type: "user", author: "human", text }, at(from)], { time: 5, position: from });
    const parts = (files: File[]): string[] =>
      sessionsOf(files.map((file) => ({ ...file, session: "s" })))[0]?.parts.map((part) => part.path) ?? [];
    expect(
      parts([
        { path: "/a", story: [segment("c", 9)] },
        { path: "/b", story: [segment("b", 4)] },
        { path: "/c", story: [known("a", 7)] },
      ]),
    ).toEqual(["/c", "/b", "/a"]);
    expect(
      parts([
        { path: "/a", size: 1, story: [known("a", 7)] },
        { path: "/b", size: 2, story: [known("b", 7)] },
      ]),
    ).toEqual(["/b", "/a"]);
    expect(
      parts([
        { path: "/b", story: [known("a", 7)] },
        { path: "/a", story: [known("b", 7)] },
      ]),
    ).toEqual(["/a", "/b"]);
    // Only the first record states what a file builds on; the later one is a rewind within the file.
    expect(
      parts([
        { path: "/a", story: [known("a", 5), known("b", 6), unplaced("reaction", [at(9)])] },
        { path: "/b", story: [known("c", 7)] },
      ]),
    ).toEqual(["/a", "/b"]);
    expect(
      parts([
        { path: "/a", story: [known("a", 7)] },
        { path: "/b", story: [ask("b")] },
      ]),
    ).toEqual(["/b", "/a"]);
  });

  it("are read once if byte-identical, from the path that sorts first", () => {
    const store = new Store([
      { path: "/b", session: "s", text: "x", story: [known("a", 1), use("1", 5)] },
      { path: "/a", session: "s", text: "x", story: [known("a", 1), use("1", 5)] },
    ]);
    const { sessions, diagnostics } = store.assembled();
    expect(sessions.map((session) => session.parts.map((part) => part.path))).toEqual([["/a"]]);
    expect(sessions[0]?.tokens).toMatchObject({ tokens_read: 5, counted: 5 });
    expect(diagnostics).toEqual([
      { code: "file_duplicate", source: "toy", path: "/b", message: "same session and same bytes as /a; read once" },
    ]);
    expect(store.reread).toEqual([]);
    const pair = (id: string): File[] =>
      [2, 1].map((n) => ({ path: `/${id}${n}`, session: id, text: id, story: [known(id, 1)] }));
    const twice = new Store([...pair("z"), ...pair("y")]).assembled();
    expect(twice.diagnostics.map(({ path }) => path)).toEqual(["/y2", "/z2"]);
  });

  it("count records and tokens that two of them contain once", () => {
    const store = new Store([
      {
        path: "/a",
        session: "s",
        size: 9,
        story: [known("a", 1), use("1", 5, { identity: "r1" }), known("b", 2), use("2", 7, { identity: "r2" })],
      },
      { path: "/b", session: "s", size: 5, story: [known("a", 1), use("1", 5, { identity: "r1" })] },
    ]);
    const [session] = store.assembled().sessions;
    expect(texts(session)).toEqual(["a", "b"]);
    expect(store.reread).toEqual(["/b"]);
    expect(session?.tokens).toMatchObject({ tokens_read: 17, counted: 12, inherited: 5 });
    expect(session?.records).toMatchObject({ records_read: 6, owned_by_turns: 4, inherited: 2 });
    expect(session?.records.reasons).toMatchObject({
      "trigger · toy.trigger": 2,
      "inherited · book.inherited.known": 2,
    });
  });

  it("are not read again if no prompt has the same identity", () => {
    const store = new Store([
      { path: "/a", session: "s", story: [known("a", 1)] },
      { path: "/b", session: "s", story: [ask("a", { time: 2 })] },
    ]);
    store.assembled();
    expect(store.reread).toEqual([]);
    const unnamed = new Store([
      { path: "/a", session: "s", story: [ask("a", { time: 1 })] },
      { path: "/b", session: "s", story: [ask("a", { time: 2 })] },
    ]);
    expect(texts(unnamed.assembled().sessions[0])).toEqual(["a", "a"]);
    expect(unnamed.reread).toEqual([]);
  });

  it("are read again if both begin with the same prompt and continue differently", () => {
    const files = [
      { path: "/a", session: "s", size: 9, story: [known("a", 1), known("b", 2)] },
      { path: "/b", session: "s", size: 5, story: [known("a", 1), known("c", 3)] },
    ];
    const store = new Store(files);
    expect(texts(store.assembled().sessions[0])).toEqual(["a", "b", "c"]);
    expect(store.reread).toEqual(["/b"]);
  });

  it("give the session the latest end time and the diagnostics of all files", () => {
    const torn = unplaced("corrupt", [{ type: "unreadable", reason: "torn", bytes: 9, hint: "h" }]);
    const [session] = sessionsOf([
      { path: "/a", session: "s", story: [known("a", 1), say("x", { time: 50 }), torn] },
      { path: "/b", session: "s", story: [known("b", 10), say("y", { time: 20 })] },
      { path: "/c", session: "s", story: [ask("c")] },
    ]);
    expect(session?.parts.map(({ path }) => path)).toEqual(["/c", "/a", "/b"]);
    expect(session).toMatchObject({ ended_at: 50 });
    expect(session?.diagnostics).toMatchObject([{ code: "line_torn", path: "/a", line: 3 }]);
    expect(sessionsOf([{ path: "/a", story: [ask("a", { time: 0 })] }])[0]).toMatchObject({ ended_at: 0 });
  });

  it("take back the turns of earlier files after the position they continue from", () => {
    const again = unplaced(
      "trigger",
      [
        { type: "user", author: "human", text: "c" },
        { type: "cancelled", reason: "rewound", from_line: 2 },
      ],
      { time: 9, position: 2 },
    );
    const [session] = sessionsOf([
      { path: "/a", session: "s", story: [known("a", 1), known("b", 2), known("b2", 3)] },
      { path: "/b", session: "s", story: [again, known("d", 10)] },
    ]);
    expect(session?.turns.map(({ draft }) => draft.taken_back)).toEqual([null, "rewound", "rewound", null, null]);
  });

  it("describe the session by the newest file, except for its start and its models", () => {
    const [session] = sessionsOf([
      {
        path: "/a",
        session: "s",
        story: [
          header({ cwd: "/one", started_at: "2026-01-01T00:00:00.000Z", title: "t", agent_version: "1" }, { time: 1 }),
          use("1", 1),
        ],
      },
      {
        path: "/b",
        session: "s",
        story: [
          header({ cwd: "/two", started_at: "2027-01-01T00:00:00.000Z" }, { time: 2 }),
          unplaced("reaction", [spent("2", {}, { model: "n" })]),
        ],
      },
    ]);
    expect(session?.meta).toMatchObject({
      cwd: "/two",
      started_at: "2026-01-01T00:00:00.000Z",
      title: "t",
      agent_version: "1",
      models: ["m", "n"],
    });
    expect(session?.started_at).toBe(Date.parse("2026-01-01T00:00:00.000Z"));
    const [other] = sessionsOf([{ path: "/a", story: [header({ started_at: "yesterday" }, { time: 4 })] }]);
    expect(other?.started_at).toBe(4);
    expect(sessionsOf([{ path: "/a", story: [] }])[0]).toMatchObject({ started_at: null, ended_at: null });
  });
});

describe("sessions", () => {
  it("are sorted by start, then by source and id", () => {
    const one = (path: string, source: string, time: number | null): File => ({
      path,
      source,
      story: [ask("x", { time })],
    });
    const list = sessionsOf([
      one("/d", "b", 5),
      one("/c", "a", 5),
      one("/b", "a", 5),
      one("/a", "a", 9),
      one("/e", "a", null),
    ]);
    expect(list.map(({ source, session_id }) => `${source}${session_id}`)).toEqual(["a/e", "a/b", "a/c", "b/d", "a/a"]);
    // Not ordered by file path.
    const ids = ["4", "2", "3", "1"].map((session, i) => ({
      ...one(`/${i}`, session < "3" ? "b" : "a", 5),
      session,
    }));
    expect(sessionsOf(ids).map(({ session_id: id }) => id)).toEqual(["3", "4", "1", "2"]);
  });

  it("assign tool calls and responses to their turns", () => {
    const [session] = sessionsOf([
      { path: "/a", story: [start("0"), use("0", 1), known("a"), start("1"), use("1", 2), known("b"), start("2")] },
    ]);
    expect(session?.tools.map(({ call, turn }) => [call.call_id, turn?.ref ?? null])).toEqual([
      ["0", null],
      ["1", "T0001"],
      ["2", "T0002"],
    ]);
    expect(
      session?.usage.map(({ event, turn, owner }) => [event.response_id, turn?.ref ?? null, owner?.ref ?? null]),
    ).toEqual([
      ["0", null, null],
      ["1", "T0001", "T0001"],
    ]);
    expect(session?.turns.map(({ calls, usage }) => [calls.length, usage.length])).toEqual([
      [1, 1],
      [1, 0],
    ]);
  });

  it("count a response once per source: in the earliest root session, else in the earliest one", () => {
    const counted = (files: File[]): string[] =>
      sessionsOf(files).map(
        (one) => `${one.session_id} ${one.tokens.counted} ${one.tokens.duplicates} ${one.usage.length}`,
      );
    const later = { path: "/later", story: [ask("x", { time: 9 }), use("r", 5)] };
    const early = { path: "/early", story: [ask("y", { time: 1 }), use("r", 5), use("q", 1)] };
    expect(counted([later, early])).toEqual(["/early 6 0 2", "/later 0 5 0"]);
    const side = { path: "/side", story: [header({ kind: "subagent" }, { time: 0 }), use("r", 5)] };
    expect(counted([side, later])).toEqual(["/side 0 5 0", "/later 5 0 1"]);
    expect(counted([{ ...early, source: "other" }, later])).toEqual(["/early 6 0 2", "/later 5 0 1"]);
  });
});

describe("an error while sessions are assembled", () => {
  const shared = known("a", 1);
  const broken = (error: Error): File[] => [
    { path: "/x", story: [shared], error },
    { path: "/y", story: [shared, known("own", 5)] },
  ];
  const unrelated: File[] = [
    { path: "/later", story: [ask("l", { time: 9 }), use("r", 5)] },
    { path: "/early", story: [ask("e", { time: 3 }), use("r", 5)] },
    { path: "/d1", session: "d", text: "d", story: [ask("d", { time: 6 })] },
    { path: "/d2", session: "d", text: "d", story: [ask("d", { time: 6 })] },
  ];

  it("leaves out only the sessions related to the file, with a diagnostic for each file", () => {
    const { sessions, byKey, sharing, diagnostics } = new Store([
      ...broken(new Error("odd")),
      ...unrelated,
    ]).assembled();
    expect(sessions.map(({ session_id: id }) => id)).toEqual(["/early", "d", "/later"]);
    expect([...byKey.keys()].toSorted()).toEqual(["toy//early", "toy//later", "toy/d"]);
    expect(sharing.map((pair) => pair.map(({ session_id: id }) => id).toSorted())).toEqual([["/early", "/later"]]);
    const leftOut = {
      code: "file_unreadable",
      source: "toy",
      message: "its session cannot be put together: odd",
      hint: "everything that has nothing to do with it is still answered; please report this with the file, if you may",
    };
    expect(diagnostics).toEqual([
      { ...leftOut, path: "/x" },
      { ...leftOut, path: "/y" },
      expect.objectContaining({ code: "file_duplicate", path: "/d2" }),
    ]);
  });

  it("is thrown if it does not concern a single file, such as a full disk", () => {
    const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
    expect(() => new Store([...broken(full), ...unrelated]).assembled()).toThrow("no space");
    // Also if it occurs while the independent sets are assembled one by one.
    const files = [...broken(new Error("odd")), ...broken(full).map((file) => ({ ...file, source: "other" }))];
    const [first, second, third, fourth] = files;
    if (!first || !second || !third || !fourth) throw new Error("four files");
    const apart = [first, second, { ...third, path: "/z1" }, { ...fourth, path: "/z2" }];
    expect(() => new Store(apart).assembled()).toThrow("no space");
  });
});

/** Fails on the first request only. */
class FailingOnce extends Store {
  #isFirst = true;

  override identities(draft: Parameters<Store["identities"]>[0]): ReturnType<Store["identities"]> {
    if (!this.#isFirst) return super.identities(draft);
    this.#isFirst = false;
    throw new RangeError("only this time");
  }
}

describe("an assembly error that does not recur on retry", () => {
  it("is thrown instead of returning an incomplete result", () => {
    // Two files of one session that share a prompt: the second is read again knowing the first.
    const store = new FailingOnce([
      { path: "/a", session: "s", story: [known("first", 10), say("x", { time: 11 })] },
      { path: "/b", session: "s", story: [known("first", 10), known("second", 20)] },
    ]);
    expect(() => store.assembled()).toThrow("only this time");
    expect(store.assembled().sessions).toHaveLength(1);
  });

  it("is thrown even if another file has a diagnostic", () => {
    const copied = [known("again", 30)];
    const store = new FailingOnce([
      { path: "/a", session: "s", story: [known("first", 10)] },
      { path: "/b", session: "s", story: [known("first", 10), known("second", 20)] },
      { path: "/c", session: "t", text: "t", story: copied },
      { path: "/d", session: "t", text: "t", story: copied },
    ]);
    expect(() => store.assembled()).toThrow("only this time");
    expect(store.assembled().diagnostics).toMatchObject([{ code: "file_duplicate", path: "/d" }]);
  });
});
