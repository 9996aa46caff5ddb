import { describe, expect, it } from "vitest";
import type { SessionMetaBody } from "../format/record.ts";
import {
  done,
  finish,
  start,
  unplaced,
  Store,
  header,
  known,
  use,
  sessionsOf,
  find,
  type UnplacedEntry,
  type File,
} from "./testing.ts";

describe("sessions that another one caused", () => {
  const link = (id: string, more: object = {}): UnplacedEntry =>
    unplaced("reaction", [
      {
        type: "child_linked",
        child: { source: "toy", session_id: id },
        relation: "subagent",
        phase: "spawned",
        ...more,
      },
    ]);
  const sub = (path: string, meta: Partial<SessionMetaBody>, time = 15): File => ({
    path,
    story: [
      header({ kind: "subagent", ...meta }, { time }),
      unplaced("reaction", [{ type: "user", author: "agent", text: "do" }], { time }),
      use(`r${path}`, 3),
      done(),
    ],
  });
  const parent = (...more: UnplacedEntry[]): File => ({
    path: "/p",
    story: [known("a", 10, { turnId: "A" }), known("b", 20, { turnId: "B" }), ...more],
  });
  const up = { source: "toy", session_id: "/p" };

  it("hang on the turn that names them", () => {
    const assembly = new Store([parent(link("/c", { role: "r" })), sub("/c", {})]).assembled();
    const [a, b] = find(assembly, "/p").turns;
    const child = find(assembly, "/c");
    expect([a?.children.length, b?.children.length]).toEqual([0, 1]);
    expect(b?.children[0]).toMatchObject({
      source: "toy",
      session_id: "/c",
      relation: "subagent",
      role: "r",
      spawn_line: 3,
      result_line: null,
    });
    expect(b?.children[0]?.session).toBe(child);
    expect(child.cause).toBe(b);
    expect(child.usage.map(({ owner, turn }) => [owner?.ref, turn?.draft.delegated])).toEqual([["T0002", true]]);
    expect(child.records).toMatchObject({ owned_by_turns: 3, session_level: 1 });
  });

  it("hang on the turn their header names, else on the one that ran when they began", () => {
    const causes = (meta: Partial<SessionMetaBody>, time?: number): string | undefined =>
      find(new Store([parent(), sub("/c", meta, time)]).assembled(), "/c").cause?.ref;
    expect(causes({ parent: up, parent_turn_id: "B" })).toBe("T0002");
    expect(causes({ parent: up })).toBe("T0001");
    expect(causes({ parent: up }, 25)).toBe("T0002");
    expect(causes({ parent: up }, 20)).toBe("T0002");
    expect(causes({ parent: up }, 5)).toBe("T0001");
    expect(causes({ parent: up, parent_turn_id: "never" }, 25)).toBe("T0002");
    expect(causes({ parent: { source: "toy", session_id: "gone" } })).toBeUndefined();
    expect(causes({})).toBeUndefined();
    expect(causes({ parent: { source: "toy", session_id: "/c" } })).toBeUndefined();
  });

  it("are told as what they are", () => {
    const related = (kind: SessionMetaBody["kind"]): unknown =>
      find(new Store([parent(), sub("/c", { kind, parent: up, role: "x" })]).assembled(), "/p").turns[0]?.children[0];
    expect(related("review")).toMatchObject({ relation: "review", role: "x", spawn_line: null, result_line: null });
    expect(related("subagent")).toMatchObject({ relation: "subagent" });
    const companion = new Store([
      parent(link("/c", { relation: "companion" })),
      { path: "/c", story: [known("q", 30)] },
    ]).assembled();
    expect(find(companion, "/c").meta.kind).toBe("companion");
    expect(find(companion, "/p").turns[1]?.children[0]).toMatchObject({ relation: "companion", role: null });
  });

  it("are listed although their file is gone, and cost nobody anything", () => {
    const [child] = find(new Store([parent(link("/gone"))]).assembled(), "/p").turns[1]?.children ?? [];
    expect(child).toMatchObject({ session_id: "/gone", session: null });
  });

  it("belong to the first that named them, and never to themselves", () => {
    const other: File = { path: "/q", story: [known("z", 12), link("/c")] };
    const assembly = new Store([parent(link("/c")), other, sub("/c", {})]).assembled();
    expect(find(assembly, "/c").cause?.session.session_id).toBe("/p");
    expect(find(assembly, "/q").turns[0]?.children).toHaveLength(1);
    expect(find(new Store([parent(link("/p"))]).assembled(), "/p").turns[1]?.children).toEqual([]);
  });

  it("answer to the human turn at the top, however deep they are", () => {
    const below = sub("/d", { parent: { source: "toy", session_id: "/c" } });
    const assembly = new Store([parent(link("/c")), sub("/c", {}), below]).assembled();
    expect(find(assembly, "/d").usage.map(({ owner }) => owner?.ref)).toEqual(["T0002"]);
    expect(find(assembly, "/d").cause?.session.session_id).toBe("/c");
    // In a cycle no turn is responsible, and the search ends.
    const circle = new Store([
      sub("/x", { parent: { source: "toy", session_id: "/y" } }),
      sub("/y", { parent: { source: "toy", session_id: "/x" } }),
    ]).assembled();
    expect(find(circle, "/x").usage.map(({ owner }) => owner)).toEqual([null]);
    expect(find(circle, "/x").records).toMatchObject({ owned_by_turns: 0, session_level: 4 });
  });

  it("belong to themselves alone when nobody is left who asked", () => {
    const [orphan] = sessionsOf([sub("/c", {})]);
    expect(orphan?.records).toMatchObject({ records_read: 4, owned_by_turns: 0, session_level: 4 });
    expect(orphan?.usage.map(({ owner, turn }) => [owner, turn?.draft.delegated])).toEqual([[null, true]]);
    expect(orphan?.turns).toEqual([]);
    expect(orphan?.delegations.map(({ ref }) => ref)).toEqual([""]);
  });

  it("are linked once, however often that is told", () => {
    const { turns } = find(new Store([parent(link("/c")), sub("/c", { parent: up })]).assembled(), "/p");
    expect(turns.map(({ children }) => children.length)).toEqual([0, 1]);
    const child = find(new Store([parent(link("/c")), sub("/c", { parent: up })]).assembled(), "/c");
    expect([child.cause?.ref, child.meta.kind, child.forked_from]).toEqual(["T0002", "subagent", null]);
    // Some sub-agents start with a copy of their parent's history.
    const forked = new Store([parent(), sub("/c", { parent: up, forked_from: "/p" }, 25)]).assembled();
    expect(find(forked, "/p").turns.flatMap(({ children }) => children.map(({ relation }) => relation))).toEqual([
      "subagent",
    ]);
  });

  it("are no sessions that a human spoke to, whatever their header says", () => {
    const assembly = new Store([parent(), { path: "/r", story: [header({ parent: up }, { time: 30 })] }]).assembled();
    expect(find(assembly, "/r").cause).toBeNull();
    expect(find(assembly, "/p").turns.flatMap(({ children }) => children)).toEqual([]);
  });

  it("hang on nothing where there is no turn to hang on", () => {
    const early = { path: "/p", story: [link("/c"), link("/gone", { relation: "companion" }), known("a", 10)] };
    const assembly = new Store([early, sub("/c", {})]).assembled();
    expect(find(assembly, "/c").cause).toBeNull();
    expect(find(assembly, "/p").turns.flatMap(({ children }) => children)).toEqual([]);
    const silent = { path: "/p", story: [header({}, { time: 1 })] };
    expect(find(new Store([silent, sub("/c", { parent: up })]).assembled(), "/c").cause).toBeNull();
    const fork = { path: "/f", story: [header({ forked_from: "/p" }, { time: 2 }), known("x", 3)] };
    expect(find(new Store([silent, fork]).assembled(), "/f").forked_from).toEqual(up);
  });

  it("hang on the turn that ran, where turns have no names or nobody knows when", () => {
    const unnamed: File = { path: "/p", story: [known("a", 10), known("b", 20), known("c", 30)] };
    const cause = (meta: Partial<SessionMetaBody>, story?: readonly UnplacedEntry[]): string | undefined => {
      const child = sub("/c", { parent: up, ...meta }, 25);
      return find(new Store([unnamed, story ? { ...child, story } : child]).assembled(), "/c").cause?.ref;
    };
    expect(cause({})).toBe("T0002");
    const { story } = sub("/c", { parent: up });
    expect(
      cause(
        {},
        story.map((entry) => ({ ...entry, time: null })),
      ),
    ).toBe("T0003");
    const named = new Store([parent(), sub("/c", { parent: up, parent_turn_id: "A" }, 25)]).assembled();
    expect(find(named, "/c").cause?.ref).toBe("T0001");
  });

  describe("whose end their parent was told", () => {
    const returned = (time: number | null, more: object = {}): UnplacedEntry => ({
      ...link("/c", { phase: "returned", ...more }),
      time,
    });
    const child = (...story: UnplacedEntry[]): File => ({
      path: "/c",
      story: [
        header({ kind: "subagent" }, { time: 20 }),
        unplaced("reaction", [{ type: "user", author: "agent", text: "do" }], { time: 21 }),
        ...story,
      ],
    });
    const ended = (file: File, ...more: UnplacedEntry[]): unknown[] => {
      const session = find(new Store([parent(...more), file]).assembled(), "/c");
      return [
        ...session.delegations.map(({ draft }) => draft.outcome),
        ...session.tools.map(({ call }) => call.status),
      ];
    };
    const running = child(start("1", { time: 22 }));

    it("have nothing running any more", () => {
      expect(ended(running, link("/c"))).toEqual(["open", "pending"]);
      expect(ended(running, returned(null))).toEqual(["open", "pending"]);
      expect(ended(child(start("1")), returned(null))).toEqual(["open", "pending"]);
      expect(ended(running, returned(30))).toEqual(["aborted", "interrupted"]);
      expect(ended(running, returned(22))).toEqual(["aborted", "interrupted"]);
      expect(ended(child(start("1")), returned(30))).toEqual(["aborted", "interrupted"]);
    });

    it("may go on after that", () => {
      expect(ended(running, returned(21))).toEqual(["open", "pending"]);
      expect(ended(running, returned(30, { relation: "review" }))).toEqual(["open", "pending"]);
    });

    it("keep what was settled, and how they ended", () => {
      const settled = child(start("1", { time: 22 }), finish("1", { status: "failed" }));
      expect(ended(settled, returned(30))).toEqual(["open", "failed"]);
      const waits = child(start("1", { time: 22 }), finish("1", { status: "pending" }));
      expect(ended(waits, returned(30))).toEqual(["open", "pending"]);
      expect(ended(child(start("1", { time: 22 }), done()), returned(30))).toEqual(["completed", "interrupted"]);
      // A call before the task belongs to no turn.
      const before: File = {
        path: "/c",
        story: [header({ kind: "subagent" }, { time: 20 }), start("1", { time: 21 })],
      };
      expect(ended(before, returned(30))).toEqual(["interrupted"]);
    });
  });
});
