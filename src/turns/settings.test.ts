import { describe, expect, it } from "vitest";
import type { SessionMetaBody } from "../record/record.ts";
import { ask, build, builderOf, done, placed, say, unplaced, type UnplacedEntry } from "./testing.ts";

const META: SessionMetaBody = {
  type: "session_meta",
  source: "toy",
  kind: "root",
  cwd: "/w",
  started_at: "2026-01-01T00:00:00.000Z",
  agent_version: "1",
};

describe("settings", () => {
  const context = (body: object, more: Partial<UnplacedEntry> = {}): UnplacedEntry =>
    unplaced("setup", [{ type: "context", ...body }], more);
  const models = (story: readonly UnplacedEntry[]): unknown[] => build(story).turns.map((turn) => turn.context.model);

  it("apply to a turn if stated before or after its prompt, until the agent works", () => {
    expect(
      models([context({ model: "a" }), ask("1"), context({ model: "b" }), say("x"), context({ model: "c" }), ask("2")]),
    ).toEqual(["b", "c"]);
    // After the end of a turn that did nothing, settings apply to the next turn.
    expect(models([ask("1"), done(), context({ model: "b" }), ask("2")])).toEqual([null, "b"]);
    const changed = unplaced("reaction", [{ type: "context", model: "b" }]);
    expect(models([ask("1"), done(), changed])).toEqual(["b"]);
    const spoke = unplaced("reaction", [{ type: "assistant_finished", text: "x", turn_ended: true }]);
    expect(models([ask("1"), spoke, changed])).toEqual([null]);
  });

  it("are stored with their turn, and of each rate limit only the latest", () => {
    const limit = (id: string, used: number, time: number | null): UnplacedEntry =>
      context(
        { rate_limits: { limit_id: id, primary: { used_percent: used, window_minutes: 1, resets_at: null } } },
        { time },
      );
    const draft = build([
      context({ model: "a" }),
      ask("1"),
      limit("x", 1, 5),
      limit("y", 2, 6),
      limit("x", 3, 7),
      limit("x", 4, 6),
    ]);
    expect(
      draft.contexts.map(({ line, turn, body }) => [line, turn, body.model ?? body.rate_limits?.primary?.used_percent]),
    ).toEqual([
      [1, null, "a"],
      [4, 0, 2],
      [5, 0, 3],
    ]);
    const mixed = build([
      context({ model: "a", rate_limits: { limit_id: "x" } }),
      context({ rate_limits: {} }),
      context({ rate_limits: {} }),
      context({ rate_limits: null }),
    ]);
    expect(mixed.contexts.map(({ line }) => line)).toEqual([1, 3, 4]);
    const both = build([context({ model: "a", rate_limits: { limit_id: "x" } }), limit("x", 1, 5)]);
    expect(both.contexts.map(({ line }) => line)).toEqual([1, 2]);
    expect(build([context({ model: "a" }), ask("1")], { withoutTraces: true }).contexts).toEqual([]);
  });

  it("stated after a line are listed, newest first", () => {
    const story = [context({ model: "a" }), ask("1"), context({ model: "b" }), say("x"), context({ model: "c" })];
    const after = (line: number): unknown[] =>
      builderOf(placed(story))
        .contextsAfter(line)
        .map(({ line: at, body }) => [at, body.model]);
    expect(after(0)).toEqual([
      [5, "c"],
      [3, "b"],
      [1, "a"],
    ]);
    expect(after(2)).toEqual(after(0).slice(0, 2));
    expect(after(3)).toEqual([[5, "c"]]);
    expect(after(5)).toEqual([]);
    expect(builderOf([]).contextsAfter(0)).toEqual([]);
  });

  it("change independently of each other", () => {
    const all = {
      model: "m",
      effort: "high",
      approval_policy: "never",
      sandbox: "none",
      sandbox_excludes: ["/tmp"],
      reasoning_summary: "auto",
      context_window: 9,
      network: true,
      cwd: "/x",
      agent_version: "2",
    };
    const git = { branch: "b", commit: "c" };
    const [turn] = build([unplaced("session", [META]), context({ ...all, git }), ask("1")]).turns;
    expect(turn?.context).toEqual({ ...all, git_branch: "b", git_commit: "c" });
    for (const name of Object.keys(all)) {
      const [, next] = build([context({ ...all, git }), ask("1"), done(), context({ [name]: null }), ask("2")]).turns;
      expect(next?.context).toEqual({ ...turn?.context, [name]: null });
    }
    const later = (...more: UnplacedEntry[]): unknown => build([context({ git }), ...more, ask("1")]).turns[0]?.context;
    expect(later(context({ git: { branch: null } }))).toMatchObject({ git_branch: "b", git_commit: "c" });
    expect(later(context({ git: null }))).toMatchObject({ git_branch: null, git_commit: null });
  });
});

describe("a session's header", () => {
  const header = (body: object, more: Partial<UnplacedEntry> = {}): UnplacedEntry =>
    unplaced("session", [{ ...META, ...body }], more);

  it("describes the session; a later header changes the fields it states, but not the start", () => {
    const first = {
      originator: "o",
      provider: "p",
      title: "t",
      role: "r",
      forked_from: "f",
      parent_turn_id: "pt",
      parent: { source: "toy", session_id: "up" },
      git: { branch: "b", remote: "r" },
      model: "m",
    };
    const second = {
      kind: "review",
      cwd: null,
      started_at: "2027-01-01T00:00:00.000Z",
      agent_version: null,
      git: { branch: "c" },
    };
    const draft = build([header(first), ask("1"), done(), header(second), ask("2")]);
    expect(draft.meta).toEqual({
      kind: "review",
      cwd: "/w",
      started_at: META.started_at,
      agent_version: "1",
      originator: "o",
      provider: "p",
      title: "t",
      title_by: null,
      parent: { source: "toy", session_id: "up" },
      parent_turn_id: "pt",
      role: "r",
      forked_from: "f",
      git: { branch: "c", remote: "r" },
      models: [],
    });
    expect(
      draft.turns.map(({ context: { cwd, agent_version, model, git_branch } }) => [
        cwd,
        agent_version,
        model,
        git_branch,
      ]),
    ).toEqual([
      ["/w", "1", "m", "b"],
      ["/w", "1", "m", "c"],
    ]);
    const other = build([
      header({}),
      header({ cwd: "/v", agent_version: "2", model: "n", title: "u", originator: "q" }),
      ask("1"),
    ]);
    expect(other.meta).toMatchObject({ cwd: "/v", agent_version: "2", title: "u", originator: "q" });
    expect(other.turns[0]?.context).toMatchObject({ cwd: "/v", agent_version: "2", model: "n" });
  });

  it("without a directory takes that of the first setting", () => {
    const draft = build([
      header({ cwd: null }),
      unplaced("setup", [{ type: "context", cwd: "/a" }]),
      unplaced("setup", [{ type: "context", cwd: "/b" }]),
    ]);
    expect(draft.meta.cwd).toBe("/a");
    expect(build([header({ cwd: null }), unplaced("setup", [{ type: "context" }])]).meta.cwd).toBeNull();
  });

  it("gives the session its id only if it is a session_meta record with an identity", () => {
    expect(build([header({}, { native: "session_meta", identity: "named" })]).session_id).toBe("named");
    expect(build([header({}, { native: "other", identity: "named" })]).session_id).toBe("s");
    expect(build([header({}, { native: "session_meta" })]).session_id).toBe("s");
  });

  it("has zero bytes and lone surrogates in names replaced", () => {
    const names = { cwd: "/w\0", title: "t\0", forked_from: "f\0" };
    expect(build([header(names)]).meta).toMatchObject({ cwd: "/w\uFFFD", title: "t\uFFFD", forked_from: "f\uFFFD" });
    const later = build([
      header({ cwd: null }),
      unplaced("setup", [{ type: "context", cwd: "/v\uD800" }]),
      unplaced("session", [{ type: "session_renamed", title: "u\uD800", by: "human" }]),
    ]);
    expect(later.meta).toMatchObject({ cwd: "/v\uFFFD", title: "u\uFFFD" });
  });

  it("is reported as missing until a stated one follows", () => {
    const missing = (story: readonly UnplacedEntry[]): unknown[] =>
      build(story).diagnostics.map(({ code, line }) => [code, line]);
    expect(build([ask("1"), header({ stated: false })]).diagnostics).toMatchObject([
      {
        code: "header_missing",
        line: 2,
        message: "the file has no header: its name gives the session's id; who drove it, and where, is not known",
      },
    ]);
    expect(missing([header({ stated: true })])).toEqual([]);
    const torn = unplaced("corrupt", [{ type: "unreadable", reason: "torn", bytes: 9, hint: "h" }]);
    expect(missing([header({ stated: false }), torn, header({})])).toEqual([["line_torn", 2]]);
    expect(missing([header({ stated: false }), torn, header({ stated: false })])).toEqual([
      ["line_torn", 2],
      ["header_missing", 3],
    ]);
  });

  it("keeps a title given by a human until the human removes it", () => {
    const renamed = (title: string | null, by: "human" | "agent"): UnplacedEntry =>
      unplaced("session", [{ type: "session_renamed", title, by }]);
    const title = (story: readonly UnplacedEntry[]): unknown[] => {
      const { meta } = build(story);
      return [meta.title, meta.title_by];
    };
    expect(title([renamed("a", "agent"), renamed("b", "agent")])).toEqual(["b", "agent"]);
    expect(title([renamed("a", "human"), renamed("b", "agent")])).toEqual(["a", "human"]);
    expect(title([renamed("a", "agent"), renamed("b", "human"), renamed("c", "human")])).toEqual(["c", "human"]);
    expect(title([renamed("a", "human"), renamed(null, "human"), renamed("b", "agent")])).toEqual(["b", "agent"]);
    expect(title([renamed("a", "human"), header({ title: "b" })])).toEqual(["a", "human"]);
    expect(title([renamed("a", "agent"), header({ title: "b" })])).toEqual(["b", "agent"]);
  });

  it("states where a fork began and whether the session is archived", () => {
    const archived = (is: boolean): UnplacedEntry => unplaced("session", [{ type: "session_archived", archived: is }]);
    expect(build([header({ forked_at: 7 }), header({}), archived(true)]).meta).toMatchObject({
      forked_at: 7,
      archived: true,
    });
    expect(build([header({}), archived(true), archived(false)]).meta).not.toHaveProperty("archived");
  });
});
