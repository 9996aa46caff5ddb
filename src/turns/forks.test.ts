import { describe, expect, it } from "vitest";
import type { RecordBody } from "../record/record.ts";
import type { Session } from "./session.ts";
import {
  ask,
  spent,
  start,
  unplaced,
  Store,
  header,
  known,
  use,
  sessionsOf,
  texts,
  find,
  type UnplacedEntry,
  type File,
} from "./testing.ts";

describe("a copied history", () => {
  const base: File = {
    path: "/base",
    session: "base",
    story: [
      known("a", 1),
      use("1", 5, { identity: "r1" }),
      known("b", 2),
      unplaced("session", [], { time: 3, identity: "own" }),
    ],
  };
  const copy = (path: string, more: readonly UnplacedEntry[], forkedFrom?: string): File => ({
    path,
    session: path.slice(1),
    story: [
      header(forkedFrom === undefined ? {} : { forked_from: forkedFrom }, { time: 50 }),
      ...base.story.slice(0, 3),
      ...more,
    ],
  });

  it("is not counted, whether or not the origin is named", () => {
    for (const origin of ["base", undefined]) {
      const fork = copy("/fork", [known("c", 51), use("2", 7)], origin);
      const assembly = new Store([fork, base]).assembled();
      expect(texts(find(assembly, "base"))).toEqual(["a", "b"]);
      expect(texts(find(assembly, "fork"))).toEqual(["c"]);
      expect(find(assembly, "fork").tokens).toMatchObject({ counted: 7, inherited: 5 });
      expect(find(assembly, "fork").meta.forked_from).toBe("base");
      expect(find(assembly, "base").meta.forked_from).toBeNull();
    }
  });

  it("is found by record identities alone only if the source's identities are unique", () => {
    const [one, two] = sessionsOf([base, copy("/fork", [known("c", 51)])], false);
    expect([texts(one), texts(two)]).toEqual([
      ["a", "b"],
      ["a", "b", "c"],
    ]);
    const named = new Store([base, copy("/fork", [known("c", 51)], "base")], false).assembled();
    expect(texts(find(named, "fork"))).toEqual(["c"]);
  });

  it("is not searched for in other sources", () => {
    const assembly = new Store([base, { ...copy("/fork", []), source: "other" }]).assembled();
    expect(texts(find(assembly, "fork"))).toEqual(["a", "b"]);
  });

  it("is removed from the session that began later, whatever its path", () => {
    const files = [copy("/aaa", [known("c", 51)]), base, copy("/zzz", [known("d", 60)])];
    const assembly = new Store(files).assembled();
    expect(["base", "aaa", "zzz"].map((id) => texts(find(assembly, id)))).toEqual([["a", "b"], ["c"], ["d"]]);
  });

  it("leaves every turn in exactly one session if forks form a cycle", () => {
    const one = copy("/one", [known("c", 51)], "two");
    const two = copy("/two", [known("d", 61)], "one");
    const all = sessionsOf([one, two]).flatMap(texts);
    expect(all.toSorted()).toEqual(["a", "b", "c", "d"]);
  });

  it("links the fork to the last turn it shares with its origin", () => {
    const assembly = new Store([base, copy("/fork", [known("c", 51)], "base")]).assembled();
    expect(
      find(assembly, "base").turns.map(({ children }) =>
        children.map(({ session_id, relation }) => [session_id, relation]),
      ),
    ).toEqual([[], [["fork", "fork"]]]);
    const early = {
      path: "/early",
      session: "early",
      story: [header({ forked_from: "base" }, { time: 0 }), known("z", 1.5)],
    };
    expect(find(new Store([base, early]).assembled(), "base").turns.map(({ children }) => children.length)).toEqual([
      1, 0,
    ]);
    const listed = (fork: File): number[] =>
      find(new Store([base, fork]).assembled(), "base").turns.map(({ children }) => children.length);
    // A fork may be made at an earlier point, or asked long after: what it states or holds of its origin decides.
    const stated = (before: number): File => ({
      path: "/stated",
      session: "stated",
      story: [header({ forked_from: "base", forked_before: before }, { time: 70 }), known("c", 71)],
    });
    expect([1, 2, 3, 4].map((before) => listed(stated(before)))).toEqual([
      [0, 0],
      [1, 0],
      [1, 0],
      [0, 1],
    ]);
    const [head, ...copied] = copy("/short", [], "base").story;
    expect(
      listed({
        path: "/short",
        session: "short",
        story: [...(head ? [head] : []), ...copied.slice(0, 2), known("c", 51)],
      }),
    ).toEqual([1, 0]);
    // A later rewind does not change this, nor does a header that is older than the fork's first prompt.
    const back = unplaced("reaction", [{ type: "cancelled", reason: "rewound", from_line: 2 }]);
    const later = {
      path: "/l",
      session: "l",
      story: [header({ forked_from: "base" }, { time: 1 }), known("z", 9), back],
    };
    expect(find(new Store([base, later]).assembled(), "base").turns.map(({ children }) => children.length)).toEqual([
      0, 1,
    ]);
    // A fork of a fork, made before the first prompt of that one, shares nothing but what that one shares.
    const again: File = {
      path: "/again",
      session: "again",
      story: [header({ forked_from: "stated", forked_before: 3 }, { time: 80 }), known("d", 81)],
    };
    const second = { ...stated(3), story: stated(3).story.map((entry, i) => ({ ...entry, position: 3 + i })) };
    const three = new Store([base, second, again]).assembled();
    expect(find(three, "base").turns.map(({ children }) => children.map(({ session_id }) => session_id))).toEqual([
      ["stated", "again"],
      [],
    ]);
    // A missing origin is still named.
    const orphan = find(new Store([copy("/fork", [], "gone")]).assembled(), "fork");
    expect(orphan.forked_from).toEqual({ source: "toy", session_id: "gone" });
  });
});

describe("the origin of a copied history", () => {
  const session = (id: string, ...story: UnplacedEntry[]): File => ({ path: `/${id}`, session: id, story });
  const from = (origin: string | null, time: number): UnplacedEntry => header({ forked_from: origin }, { time });
  /** The prompts of each session, preceded by the origin it names. */
  const originsAndTurns = (...files: File[]): { [id: string]: unknown[] } =>
    Object.fromEntries(
      new Store(files).assembled().sessions.map((one) => [one.session_id, [one.meta.forked_from, ...texts(one)]]),
    );
  const [a, b] = [known("a", 1), known("b", 2)];
  const base = session("base", from(null, 0), a, b, known("late", 200));

  it("is the session whose own records are older", () => {
    const fork = session("fork", from(null, 50), a, b, known("c", 51));
    expect(originsAndTurns(base, fork)).toEqual({ base: [null, "a", "b", "late"], fork: ["base", "c"] });
  });

  it("is the session whose id sorts first if neither has records of its own", () => {
    const at = (id: string, path: string): File => ({ ...session(id, a, b), path });
    for (const files of [
      [at("x", "/1"), at("y", "/2")],
      [at("y", "/1"), at("x", "/2")],
    ])
      expect(originsAndTurns(...files)).toEqual({ x: [null, "a", "b"], y: ["x"] });
  });

  it("is the session the file names, whatever the times say", () => {
    const early = session("fork", from("base", -50), a, b, known("c", -40));
    expect(originsAndTurns(base, early)).toEqual({ base: [null, "a", "b", "late"], fork: ["base", "c"] });
    const second = session("second", from("fork", -90), a, b, known("c", -40), known("d", -80));
    expect(originsAndTurns(base, early, second)).toMatchObject({ fork: ["base", "c"], second: ["fork", "d"] });
  });

  it("is the session that contains the last copied record if the named one does not", () => {
    const fork = session("fork", from("base", 50), a, b, known("c", 51));
    const wronglyNamed = session("second", from("base", 60), a, b, known("c", 51), known("d", 61));
    expect(originsAndTurns(base, fork, wronglyNamed)).toMatchObject({ second: ["fork", "d"] });
    // Both hold the record: the origin named by the file is used.
    const named = session("second", from("fork", 60), a, b, known("d", 61));
    expect(originsAndTurns(base, fork, named)).toMatchObject({ second: ["fork", "d"] });
    const unnamed = session("second", from(null, 60), a, b, known("d", 61));
    expect(originsAndTurns(base, fork, unnamed)).toMatchObject({ second: ["base", "d"] });
    const unnamedFork = session("fork", from(null, 50), a, b, known("c", 51));
    expect(originsAndTurns(base, unnamedFork, unnamed)).toMatchObject({ fork: ["base", "c"], second: ["base", "d"] });
  });

  it("is none if the file begins with a record of its own", () => {
    const other = session("other", known("x", 50), a);
    expect(originsAndTurns(base, other)).toEqual({ base: [null, "a", "b", "late"], other: [null, "x", "a"] });
  });

  it("is not searched for among unrelated files, and only forks are read again", () => {
    const plain = [session("1", ask("x", { time: 1 })), session("2", ask("x", { time: 2 })), session("3", a)];
    const apart = new Store(plain);
    apart.assembled();
    expect([apart.identitiesRead, apart.reread]).toEqual([[], []]);
    const family = new Store([
      base,
      session("fork", from(null, 50), a, known("c", 51)),
      session("third", from(null, 60), b, known("d", 61)),
    ]);
    family.assembled();
    expect([family.identitiesRead.toSorted(), family.reread]).toEqual([
      ["/base", "/fork", "/third"],
      ["/fork", "/third"],
    ]);
  });

  it("is never the session itself", () => {
    const itself = session("self", from("self", 50), a, b, known("c", 51));
    const { sessions, diagnostics } = new Store([base, itself]).assembled();
    expect(diagnostics).toEqual([]);
    expect(sessions.map(texts)).toEqual([["a", "b", "late"], ["c"]]);
    const alone = new Store([session("self", from("self", 50), a)]).assembled();
    expect(find(alone, "self").turns.map(({ children }) => children)).toEqual([[]]);
  });

  it("is none for the earliest session of a cycle, which is reported", () => {
    const cycle = [
      session("one", from("three", 10), known("x", 11)),
      session("two", from("one", 20), known("y", 21)),
      session("three", from("two", 30), known("z", 31)),
      // Not part of the cycle, and older than all of its members.
      { ...session("zero", from("three", 0), known("w", 1)), path: "/first" },
    ];
    const { sessions, diagnostics } = new Store(cycle).assembled();
    expect(sessions.map((one) => [one.session_id, one.meta.forked_from, ...texts(one)])).toEqual([
      ["zero", "three", "w"],
      ["one", null, "x"],
      ["two", "one", "y"],
      ["three", "two", "z"],
    ]);
    const message = "one says that it comes from three, which says that it comes from it; it came first";
    expect(diagnostics).toEqual([{ code: "lineage_cycle", source: "toy", path: "/one", message }]);
  });

  it("is none for the first of a cycle that copied a third session; the copy is not counted", () => {
    const found = originsAndTurns(
      base,
      session("one", from("two", 50), a, b, known("c", 51)),
      session("two", from("one", 60), a, known("d", 61)),
    );
    expect(found).toEqual({ base: [null, "a", "b", "late"], one: [null, "c"], two: ["one", "d"] });
  });
});

describe("copied records", () => {
  const base: File = {
    path: "/base",
    session: "base",
    story: [
      known("a", 1),
      start("1", { identity: "c1" }),
      use("r", 5, { identity: "r1" }),
      unplaced("session", [total(5)], { identity: "t1", time: 3 }),
      // The session's own line, which was not copied.
      unplaced("session", [], { identity: "own", time: 4 }),
    ],
  };
  const own = header({}, { time: 50 });
  const fork = (...more: UnplacedEntry[]): File => ({
    path: "/fork",
    session: "fork",
    story: [own, ...base.story.slice(0, 4), ...more],
  });
  const assembled = (...more: UnplacedEntry[]): Session => find(new Store([base, fork(...more)]).assembled(), "fork");

  it("end at the fork's first own prompt", () => {
    const session = assembled(known("b", 51), known("a", 52));
    expect(texts(session)).toEqual(["b", "a"]);
    expect(session.records).toMatchObject({ records_read: 7, inherited: 4, session_level: 1, owned_by_turns: 2 });
    expect(session.tools).toEqual([]);
  });

  it("are subtracted from a running total", () => {
    const session = assembled(known("b", 51), use("s", 2), unplaced("session", [total(7)], { time: 53 }));
    expect(session.parts[0]?.stated).toMatchObject({ tokens: 2, counted: 2 });
  });

  function total(tokens: number): RecordBody {
    const models = [{ ...spent("", { output_tokens: tokens }), model: null }];
    return { type: "usage_total", counter: "x", includes_children: false, exact: true, models };
  }
});

describe("a session that is a complete copy of another", () => {
  const original: File = {
    path: "/original",
    session: "original",
    story: [known("a", 1), use("1", 5, { identity: "r1" }), known("b", 2)],
  };
  const exported = (session: string, of: string, more: Partial<File> = {}): File => ({
    path: `/${session}`,
    session,
    source: "log",
    story: [
      header({ copy_of: { source: "toy", session_id: of } }, { time: 50, identity: `head of ${session}` }),
      known("a", 1, { identity: "other a" }),
      use("1", 5, { identity: "other r1" }),
    ],
    ...more,
  });

  it("is not counted while the original exists, and is reported", () => {
    const assembly = new Store([exported("copy", "original"), original]).assembled();
    expect(texts(find(assembly, "original"))).toEqual(["a", "b"]);
    expect(find(assembly, "original").copied).toBeUndefined();
    const copy = find(assembly, "copy");
    expect([texts(copy), copy.copied]).toEqual([[], true]);
    expect(copy.tokens).toMatchObject({ counted: 0, inherited: 5 });
    expect(copy.records).toMatchObject({ records_read: 3, inherited: 3 });
    expect(assembly.diagnostics).toEqual([
      {
        code: "file_duplicate",
        source: "log",
        path: "/copy",
        message: "a copy of toy/original, which is read from its own files; it counts there",
      },
    ]);
  });

  it("is counted if the original is missing or belongs to another source", () => {
    for (const files of [[], [{ ...original, source: "other" }]]) {
      const copy = find(new Store([exported("copy", "original"), ...files]).assembled(), "copy");
      expect([texts(copy), copy.copied, copy.tokens.counted]).toEqual([["a"], undefined, 5]);
    }
  });

  it("is counted if it names itself or another copy as its original", () => {
    const itself = exported("self", "self", { source: "toy" });
    expect(texts(find(new Store([itself]).assembled(), "self"))).toEqual(["a"]);
    const chain = new Store([original, exported("first", "original", { source: "toy" }), exported("second", "first")]);
    const assembly = chain.assembled();
    expect(find(assembly, "first").copied).toBe(true);
    expect([texts(find(assembly, "second")), find(assembly, "second").copied]).toEqual([["a"], undefined]);
  });

  it("is not taken for a fork of the original", () => {
    const copy = exported("copy", "original", { source: "toy" });
    const assembly = new Store([
      original,
      { ...copy, story: [...copy.story.slice(0, 1), ...original.story] },
    ]).assembled();
    expect(texts(find(assembly, "original"))).toEqual(["a", "b"]);
    expect(find(assembly, "original").tokens.counted).toBe(5);
    expect(find(assembly, "copy").meta.forked_from).toBeNull();
  });
});
