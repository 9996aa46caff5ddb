import { describe, expect, it } from "vitest";
import type { SessionMetaBody } from "../record/record.ts";
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

describe("child sessions", () => {
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
  const parentRef = { source: "toy", session_id: "/p" };

  it("are linked to the turn that names them", () => {
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

  it("are linked to the turn their header names, else to the one running when they began", () => {
    const causes = (meta: Partial<SessionMetaBody>, time?: number): string | undefined =>
      find(new Store([parent(), sub("/c", meta, time)]).assembled(), "/c").cause?.ref;
    expect(causes({ parent: parentRef, parent_turn_id: "B" })).toBe("T0002");
    expect(causes({ parent: parentRef })).toBe("T0001");
    expect(causes({ parent: parentRef }, 25)).toBe("T0002");
    expect(causes({ parent: parentRef }, 20)).toBe("T0002");
    expect(causes({ parent: parentRef }, 5)).toBe("T0001");
    expect(causes({ parent: parentRef, parent_turn_id: "never" }, 25)).toBe("T0002");
    expect(causes({ parent: { source: "toy", session_id: "gone" } })).toBeUndefined();
    expect(causes({})).toBeUndefined();
    expect(causes({ parent: { source: "toy", session_id: "/c" } })).toBeUndefined();
  });

  it("have the relation stated by their header or by the link", () => {
    const related = (kind: SessionMetaBody["kind"]): unknown =>
      find(new Store([parent(), sub("/c", { kind, parent: parentRef, role: "x" })]).assembled(), "/p").turns[0]
        ?.children[0];
    expect(related("review")).toMatchObject({ relation: "review", role: "x", spawn_line: null, result_line: null });
    expect(related("subagent")).toMatchObject({ relation: "subagent" });
    const companion = new Store([
      parent(link("/c", { relation: "companion" })),
      { path: "/c", story: [known("q", 30)] },
    ]).assembled();
    expect(find(companion, "/c").meta.kind).toBe("companion");
    expect(find(companion, "/p").turns[1]?.children[0]).toMatchObject({ relation: "companion", role: null });
  });

  it("are listed even if their file is missing", () => {
    const [child] = find(new Store([parent(link("/gone"))]).assembled(), "/p").turns[1]?.children ?? [];
    expect(child).toMatchObject({ session_id: "/gone", session: null });
  });

  it("belong to the first session that names them, and never to themselves", () => {
    const other: File = { path: "/q", story: [known("z", 12), link("/c")] };
    const assembly = new Store([parent(link("/c")), other, sub("/c", {})]).assembled();
    expect(find(assembly, "/c").cause?.session.session_id).toBe("/p");
    expect(find(assembly, "/q").turns[0]?.children).toHaveLength(1);
    expect(find(new Store([parent(link("/p"))]).assembled(), "/p").turns[1]?.children).toEqual([]);
  });

  it("are owned by the human's turn at the top, at any depth", () => {
    const grandchild = sub("/d", { parent: { source: "toy", session_id: "/c" } });
    const assembly = new Store([parent(link("/c")), sub("/c", {}), grandchild]).assembled();
    expect(find(assembly, "/d").usage.map(({ owner }) => owner?.ref)).toEqual(["T0002"]);
    expect(find(assembly, "/d").cause?.session.session_id).toBe("/c");
    // In a cycle no turn is responsible, and the search ends.
    const cycle = new Store([
      sub("/x", { parent: { source: "toy", session_id: "/y" } }),
      sub("/y", { parent: { source: "toy", session_id: "/x" } }),
    ]).assembled();
    expect(find(cycle, "/x").usage.map(({ owner }) => owner)).toEqual([null]);
    expect(find(cycle, "/x").records).toMatchObject({ owned_by_turns: 0, session_level: 4 });
  });

  it("have no owning turn if no parent is known", () => {
    const [orphan] = sessionsOf([sub("/c", {})]);
    expect(orphan?.records).toMatchObject({ records_read: 4, owned_by_turns: 0, session_level: 4 });
    expect(orphan?.usage.map(({ owner, turn }) => [owner, turn?.draft.delegated])).toEqual([[null, true]]);
    expect(orphan?.turns).toEqual([]);
    expect(orphan?.delegations.map(({ ref }) => ref)).toEqual([""]);
  });

  it("are linked once if both sides state the link", () => {
    const { turns } = find(new Store([parent(link("/c")), sub("/c", { parent: parentRef })]).assembled(), "/p");
    expect(turns.map(({ children }) => children.length)).toEqual([0, 1]);
    const child = find(new Store([parent(link("/c")), sub("/c", { parent: parentRef })]).assembled(), "/c");
    expect([child.cause?.ref, child.meta.kind, child.forked_from]).toEqual(["T0002", "subagent", null]);
    // Some sub-agents start with a copy of their parent's history.
    const forked = new Store([parent(), sub("/c", { parent: parentRef, forked_from: "/p" }, 25)]).assembled();
    expect(find(forked, "/p").turns.flatMap(({ children }) => children.map(({ relation }) => relation))).toEqual([
      "subagent",
    ]);
  });

  it("do not include root sessions whose header names a parent", () => {
    const assembly = new Store([
      parent(),
      { path: "/r", story: [header({ parent: parentRef }, { time: 30 })] },
    ]).assembled();
    expect(find(assembly, "/r").cause).toBeNull();
    expect(find(assembly, "/p").turns.flatMap(({ children }) => children)).toEqual([]);
  });

  it("have no cause if the parent has no turn at that point", () => {
    const early = { path: "/p", story: [link("/c"), link("/gone", { relation: "companion" }), known("a", 10)] };
    const assembly = new Store([early, sub("/c", {})]).assembled();
    expect(find(assembly, "/c").cause).toBeNull();
    expect(find(assembly, "/p").turns.flatMap(({ children }) => children)).toEqual([]);
    const silent = { path: "/p", story: [header({}, { time: 1 })] };
    expect(find(new Store([silent, sub("/c", { parent: parentRef })]).assembled(), "/c").cause).toBeNull();
    const fork = { path: "/f", story: [header({ forked_from: "/p" }, { time: 2 }), known("x", 3)] };
    expect(find(new Store([silent, fork]).assembled(), "/f").forked_from).toEqual(parentRef);
  });

  it("are linked by time if turns have no ids, and to the last turn if they have no times", () => {
    const unnamed: File = { path: "/p", story: [known("a", 10), known("b", 20), known("c", 30)] };
    const cause = (meta: Partial<SessionMetaBody>, story?: readonly UnplacedEntry[]): string | undefined => {
      const child = sub("/c", { parent: parentRef, ...meta }, 25);
      return find(new Store([unnamed, story ? { ...child, story } : child]).assembled(), "/c").cause?.ref;
    };
    expect(cause({})).toBe("T0002");
    const { story } = sub("/c", { parent: parentRef });
    expect(
      cause(
        {},
        story.map((entry) => ({ ...entry, time: null })),
      ),
    ).toBe("T0003");
    const named = new Store([parent(), sub("/c", { parent: parentRef, parent_turn_id: "A" }, 25)]).assembled();
    expect(find(named, "/c").cause?.ref).toBe("T0001");
  });

  describe("whose return their parent recorded", () => {
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
    const statusesAfter = (file: File, ...more: UnplacedEntry[]): unknown[] => {
      const session = find(new Store([parent(...more), file]).assembled(), "/c");
      return [
        ...session.delegations.map(({ draft }) => draft.outcome),
        ...session.tools.map(({ call }) => call.status),
      ];
    };
    const running = child(start("1", { time: 22 }));

    it("have running turns and calls ended at a known time of return", () => {
      expect(statusesAfter(running, link("/c"))).toEqual(["open", "pending"]);
      expect(statusesAfter(running, returned(null))).toEqual(["open", "pending"]);
      expect(statusesAfter(child(start("1")), returned(null))).toEqual(["open", "pending"]);
      expect(statusesAfter(running, returned(30))).toEqual(["aborted", "interrupted"]);
      expect(statusesAfter(running, returned(22))).toEqual(["aborted", "interrupted"]);
      expect(statusesAfter(child(start("1")), returned(30))).toEqual(["aborted", "interrupted"]);
    });

    it("stay open if they wrote records later or are not sub-agents", () => {
      expect(statusesAfter(running, returned(21))).toEqual(["open", "pending"]);
      expect(statusesAfter(running, returned(30, { relation: "review" }))).toEqual(["open", "pending"]);
    });

    it("keep settled calls and stated outcomes", () => {
      const settled = child(start("1", { time: 22 }), finish("1", { status: "failed" }));
      expect(statusesAfter(settled, returned(30))).toEqual(["open", "failed"]);
      const pending = child(start("1", { time: 22 }), finish("1", { status: "pending" }));
      expect(statusesAfter(pending, returned(30))).toEqual(["open", "pending"]);
      expect(statusesAfter(child(start("1", { time: 22 }), done()), returned(30))).toEqual([
        "completed",
        "interrupted",
      ]);
      // A call before the task belongs to no turn.
      const before: File = {
        path: "/c",
        story: [header({ kind: "subagent" }, { time: 20 }), start("1", { time: 21 })],
      };
      expect(statusesAfter(before, returned(30))).toEqual(["interrupted"]);
    });
  });
});
