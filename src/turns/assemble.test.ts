import { describe, expect, it } from "vitest";
import type { RecordBody, SessionMetaBody } from "../format/record.ts";
import type { Entry } from "../sources/contract.ts";
import { assemble, type Assembly } from "./assemble.ts";
import { DraftBuilder } from "./builder.ts";
import { withInherited } from "./inherited.ts";
import type { FileDraft } from "./model.ts";
import type { DraftLoader, IdentityAt } from "./parts.ts";
import type { Session } from "./session.ts";
import { ask, done, NO_DRIFT, OPTIONS, placed, REF, say, spent, start, told, type Told } from "./testing.ts";

/** One file of a store that is made up. */
interface File {
  path: string;
  story: readonly Told[];
  session?: string;
  source?: string;
  size?: number;
  /** Files of one text are copies to the byte. */
  text?: string;
}

/** A store: reads its files again when it is asked, as the book and the native files do. */
class Store implements DraftLoader {
  readonly #files: ReadonlyMap<string, { file: File; entries: Entry[] }>;
  readonly #global: boolean;
  /** Paths that were read again. */
  readonly again: string[] = [];

  constructor(files: readonly File[], global = true) {
    this.#files = new Map(files.map((file) => [file.path, { file, entries: placed(file.story) }]));
    this.#global = global;
  }

  assembled(): Assembly {
    return assemble(
      [...this.#files.keys()].map((path) => this.#read(path, null)),
      this,
    );
  }

  #read(path: string, inherited: ReadonlySet<string> | null): FileDraft {
    const known = this.#files.get(path);
    if (!known) throw new Error(`no ${path}`);
    const { source = "toy", size = 0, session = path } = known.file;
    const builder = new DraftBuilder({ ...REF, source, path, size }, session, OPTIONS);
    for (const entry of inherited ? withInherited(known.entries, inherited) : known.entries) builder.push(entry);
    return { ...builder.finish(NO_DRIFT), inherited_from: inherited };
  }

  identities({ path }: FileDraft): IdentityAt[] {
    return (this.#files.get(path)?.entries ?? []).map(({ identity = null, time }) => ({ identity, time }));
  }

  readInherited({ path }: FileDraft, inherited: ReadonlySet<string>): FileDraft {
    this.again.push(path);
    return this.#read(path, inherited);
  }

  sameBytes(a: FileDraft, b: FileDraft): boolean {
    const [one, two] = [a, b].map(({ path }) => this.#files.get(path)?.file.text);
    return one !== undefined && one === two;
  }

  identifies(): boolean {
    return this.#global;
  }
}

const META: SessionMetaBody = {
  type: "session_meta",
  source: "toy",
  kind: "root",
  cwd: null,
  started_at: null,
  agent_version: null,
};

function header(body: Partial<SessionMetaBody> = {}, more: Partial<Told> = {}): Told {
  return told("session", [{ ...META, ...body }], more);
}

/** A prompt that is known everywhere by its words. */
function known(text: string, time: number | null = null, more: Partial<Told> = {}): Told {
  return ask(text, { identity: text, time, ...more });
}

function use(id: string, tokens: number, more: Partial<Told> = {}): Told {
  return told("reaction", [spent(id, { output_tokens: tokens })], more);
}

function sessionsOf(files: readonly File[], global?: boolean): Session[] {
  return new Store(files, global).assembled().sessions;
}

function texts(session: Session | undefined): string[] {
  return session?.turns.map(({ draft }) => draft.trigger.text) ?? [];
}

function find({ sessions }: Assembly, id: string): Session {
  const session = sessions.find((one) => one.session_id === id);
  if (!session) throw new Error(`no session ${id}`);
  return session;
}

describe("files of one session", () => {
  it("are its parts, in the order of their times, and its turns are counted through", () => {
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

  it("are put in order by where they take over, by time, the longer and then by path", () => {
    const at = (from: number): RecordBody => ({ type: "cancelled", reason: "rewound", from_line: from });
    const segment = (text: string, from: number): Told =>
      told("trigger", [{ type: "user", author: "human", text }, at(from)], { time: 5, position: from });
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
    expect(
      parts([
        { path: "/a", story: [known("a", 7)] },
        { path: "/b", story: [ask("b")] },
      ]),
    ).toEqual(["/b", "/a"]);
  });

  it("are one when they are the same to the byte; the path that sorts first is kept", () => {
    const store = new Store([
      { path: "/b", session: "s", text: "x", story: [known("a", 1), use("1", 5)] },
      { path: "/a", session: "s", text: "x", story: [known("a", 1), use("1", 5)] },
    ]);
    const { sessions, diagnostics } = store.assembled();
    expect(sessions.map((session) => session.parts.map((part) => part.path))).toEqual([["/a"]]);
    expect(sessions[0]?.tokens).toMatchObject({ tokens_read: 5, counted: 5 });
    expect(diagnostics).toEqual([
      {
        ...{ code: "file_duplicate", source: "toy", path: "/b" },
        message: "same session and same bytes as /a; read once",
      },
    ]);
    expect(store.again).toEqual([]);
  });

  it("count once what two of them hold", () => {
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
    expect(store.again).toEqual(["/b"]);
    expect(session?.tokens).toMatchObject({ tokens_read: 17, counted: 12, inherited: 5 });
    expect(session?.records).toMatchObject({ records_read: 6, owned_by_turns: 4, inherited: 2 });
    expect(session?.records.reasons).toMatchObject({
      "trigger · toy.trigger": 2,
      "inherited · book.inherited.known": 2,
    });
  });

  it("are not read again when they share no prompt", () => {
    const store = new Store([
      { path: "/a", session: "s", story: [known("a", 1)] },
      { path: "/b", session: "s", story: [ask("a", { time: 2 })] },
    ]);
    store.assembled();
    expect(store.again).toEqual([]);
  });

  it("take back the turns of earlier ones beyond the point they build on", () => {
    const again = told(
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

  it("say of the session what the newest says, but when it began and which models it had", () => {
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
          told("reaction", [spent("2", {}, { model: "n" })]),
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
  it("stand in the order they began, then by source and id", () => {
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
  });

  it("own their calls and responses through their turns", () => {
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

  it("count a response once, in the session that began first, roots before others", () => {
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

describe("a copied history", () => {
  const base: File = {
    path: "/base",
    session: "base",
    story: [
      known("a", 1),
      use("1", 5, { identity: "r1" }),
      known("b", 2),
      told("session", [], { time: 3, identity: "own" }),
    ],
  };
  const copy = (path: string, more: readonly Told[], forkedFrom?: string): File => ({
    ...{ path, session: path.slice(1) },
    story: [
      header(forkedFrom === undefined ? {} : { forked_from: forkedFrom }, { time: 50 }),
      ...base.story.slice(0, 3),
      ...more,
    ],
  });

  it("counts for nothing, named or not", () => {
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

  it("is known by names only where names are the agent's own", () => {
    const [one, two] = sessionsOf([base, copy("/fork", [known("c", 51)])], false);
    expect([texts(one), texts(two)]).toEqual([
      ["a", "b"],
      ["a", "b", "c"],
    ]);
    const named = new Store([base, copy("/fork", [known("c", 51)], "base")], false).assembled();
    expect(texts(find(named, "fork"))).toEqual(["c"]);
  });

  it("is not looked for in other agents", () => {
    const assembly = new Store([base, { ...copy("/fork", []), source: "other" }]).assembled();
    expect(texts(find(assembly, "fork"))).toEqual(["a", "b"]);
  });

  it("is the copy that began later, whatever it is called", () => {
    const files = [copy("/aaa", [known("c", 51)]), base, copy("/zzz", [known("d", 60)])];
    const assembly = new Store(files).assembled();
    expect(["base", "aaa", "zzz"].map((id) => texts(find(assembly, id)))).toEqual([["a", "b"], ["c"], ["d"]]);
  });

  it("keeps every turn in one session where forks go in a circle", () => {
    const one = copy("/one", [known("c", 51)], "two");
    const two = copy("/two", [known("d", 61)], "one");
    const all = sessionsOf([one, two]).flatMap(texts);
    expect(all.toSorted()).toEqual(["a", "b", "c", "d"]);
  });

  it("is put under the last turn it shares with its origin", () => {
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
    const segment = told(
      "trigger",
      [
        { type: "user", author: "human", text: "c" },
        { type: "cancelled", reason: "rewound", from_line: 3 },
      ],
      { time: 70, position: 3 },
    );
    const byPlace = {
      path: "/byplace",
      session: "byplace",
      story: [
        {
          ...segment,
          records: [...segment.records, { ...META, forked_from: "base" }],
        },
      ],
    };
    expect(find(new Store([base, byPlace]).assembled(), "base").turns.map(({ children }) => children.length)).toEqual([
      1, 0,
    ]);
    // An origin that is gone is still named.
    const orphan = find(new Store([copy("/fork", [], "gone")]).assembled(), "fork");
    expect(orphan.forked_from).toEqual({ source: "toy", session_id: "gone" });
  });
});

describe("sessions that another one caused", () => {
  const link = (id: string, more: object = {}): Told =>
    told("reaction", [
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
      told("reaction", [{ type: "user", author: "agent", text: "do" }], { time }),
      use(`r${path}`, 3),
      done(),
    ],
  });
  const parent = (...more: Told[]): File => ({
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
    // In a circle nobody answers, and it ends.
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
    expect(orphan?.delegations).toHaveLength(1);
  });
});
