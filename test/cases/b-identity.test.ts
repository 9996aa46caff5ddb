import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toProject, ProjectNamer, type Project } from "../../src/answers/projects/project.ts";
import { Daybook } from "../../src/daybook.ts";
import { A, at, claude, codex, codexLine, CU, folder, M, only, open, R, RAW, spans, TC, write } from "./build.ts";

function name(cwd: string | null, session_id = "s"): Project {
  const { name: label, root } = new ProjectNamer().place({ source: "codex", session_id, cwd, remote: null });
  return toProject(label, root);
}

function key(label: string, root: string): string {
  return `${label}-${createHash("sha256").update(root, "utf8").digest("hex").slice(0, 12)}`;
}

function second(n: number): string {
  return `2026-05-12T08:00:${String(n).padStart(2, "0")}.000Z`;
}

/** Section B: discovery, identity, layout. 23, 25 and 30 to 32 are about the report workspace. */
describe("B. identity", () => {
  // Sources have no order of their own here. The variables are the agents' own (contract).
  it("case 13: without settings the agents' own places are read; blank ones turn a source off; no source gives an empty book", async () => {
    const home = folder();
    write(join(home, ".codex/sessions/2026/05/12/rollout-c.jsonl"), [M("c"), R("to Codex")]);
    write(join(home, ".claude/projects/-w/k.jsonl"), [CU("to Claude")]);
    const book = new Daybook({ home, env: {}, timezone: "UTC" });
    expect(
      book
        .opened()
        .refs.map((ref) => ref.source)
        .toSorted(),
    ).toEqual(["claude-code", "codex"]);
    expect((await book.turns()).map((turn) => turn.trigger.text ?? "").toSorted()).toEqual(["to Claude", "to Codex"]);
    const sourcesWith = async (env: Record<string, string>): Promise<string[]> =>
      (await new Daybook({ home, env, timezone: "UTC" }).sessions()).map((session) => session.source);
    expect(await sourcesWith({ CODEX_HOME: " " })).toEqual(["claude-code"]);
    expect(await sourcesWith({ CLAUDE_CONFIG_DIR: "" })).toEqual(["codex"]);
    const blank = new Daybook({ home, env: { CODEX_HOME: "", CLAUDE_CONFIG_DIR: " " } });
    for (const none of [blank, new Daybook({ roots: {} }), new Daybook({ home: folder(), env: {} })]) {
      expect([await none.sessions(), await none.turns(), await none.tools()]).toEqual([[], [], []]);
      expect(await none.audit()).toMatchObject({ balanced: true, totals: { sessions: 0, files: 0 } });
    }
  });

  it("case 15: a header and a prompt are one session of one project with one turn", async () => {
    const book = codex(M("single", { cwd: "/nowhere/app" }), R("hello"));
    expect(only(await book.sessions())).toMatchObject({ session_id: "single", project: "app", turns: 1 });
    expect(await spans(book)).toEqual([[2, 2]]);
  });

  it("case 16: without an id the Codex file's stem is the id; for Claude it always is", async () => {
    expect(only(await codex(M(null), R("a")).sessions()).session_id).toBe("rollout-case");
    expect(only(await codex(R("a")).sessions()).session_id).toBe("rollout-case");
    expect(only(await claude(CU("a", { sessionId: "another" })).sessions()).session_id).toBe("case");
  });

  it("case 17: the directory comes from the turn context when the header has none", async () => {
    const book = codex(M("s", { cwd: undefined }), TC({ cwd: "/nowhere/from-context" }), R("a"));
    expect(only(await book.sessions())).toMatchObject({ project: "from-context", cwd: "/nowhere/from-context" });
    expect(only(await book.turns()).project_key).toBe(key("from-context", "/nowhere/from-context"));
    const blank = codex(M("s", { cwd: " " }), TC({ cwd: "/nowhere/first" }), R("a"), TC({ cwd: "/nowhere/second" }));
    expect(only(await blank.sessions()).project).toBe("first");
    const header = codex(M("s", { cwd: "/nowhere/header" }), TC({ cwd: "/nowhere/context" }), R("a"));
    expect(only(await header.sessions()).project).toBe("header");
  });

  it("case 17: a header with a time only in its payload counts as timed", async () => {
    const book = codex(at(null, M("s", { timestamp: "2026-05-12T07:59:00.000Z" })), R("a"));
    const session = only(await book.sessions());
    expect(session.diagnostics?.untimed_records).toBe(0);
    expect(session.started_at).toBe("2026-05-12T07:59:00.000Z");
  });

  it("case 18: without any directory each session is an unknown project of its own", async () => {
    const book = open({
      codex: {
        "rollout-1.jsonl": [M("codex-edge-parent", { cwd: undefined }), R("a")],
        "rollout-2.jsonl": [M("other", { cwd: undefined }), R("b")],
      },
    });
    const keys = (await book.sessions()).map(({ project, project_key }) => [project, project_key]);
    expect(keys).toContainEqual(["unknown-project", "unknown-project-3095323caa37"]);
    expect(keys).toContainEqual(["unknown-project", key("unknown-project", "unknown-project/codex/other")]);
  });

  it("case 20: labels are cut to 48, and fall back while the key keeps the real root", () => {
    const long = `/nowhere/${"a".repeat(60)}`;
    expect(name(long)).toEqual({ project: "a".repeat(48), project_key: key("a".repeat(48), long) });
    // A directory of dots and dashes has no name; one in another script has (the seed knew only ASCII).
    for (const root of ["/nowhere/---", "/nowhere/..."]) {
      expect(name(root)).toEqual({ project: "unknown-project", project_key: key("unknown-project", root) });
    }
    expect(name("/nowhere/日本語")).toEqual({ project: "日本語", project_key: key("日本語", "/nowhere/日本語") });
    // Worked examples of the seed (1.4).
    expect(name("/fake/projects/ReportGenerator").project_key).toBe("ReportGenerator-e3486f912e44");
    expect(name("/home/a/My Project (v2)").project_key).toBe("My-Project-v2-9ee1bb072e1b");
  });

  it("case 21: a Windows path that is not on this disk is named by its last part", () => {
    expect(name("C:\\code\\app")).toEqual({ project: "app", project_key: key("app", "C:/code/app") });
  });

  // The references S0001 … are the workspace's; what exists here is the order they will follow.
  it("case 22: sessions of one time stand in the order of source, then id", async () => {
    const book = open({
      codex: { "rollout-1.jsonl": [M("b"), R("x")], "rollout-2.jsonl": [M("a"), R("y")] },
      claude: { "z.jsonl": [CU("w")] },
    });
    const order = (await book.audit()).sessions.map((session) => [session.source, session.session_id]);
    expect(order).toEqual([
      ["claude-code", "z"],
      ["codex", "a"],
      ["codex", "b"],
    ]);
    expect(new Set((await book.sessions()).map((session) => session.project_key)).size).toBe(1);
  });

  // Ignored means: no session where its name says nothing, no turn where its name is a session's. There the lines are
  // still counted: the balance may lose nothing.
  it("case 26: a file of malformed lines asks for nothing; a message without content is a prompt", async () => {
    const book = open({
      codex: {
        "notes.jsonl": ["not json", "{"],
        "rollout-good.jsonl": [M("good"), RAW(undefined)],
      },
    });
    expect((await book.sessions()).map((session) => session.session_id)).toEqual(["good"]);
    expect(await spans(book)).toEqual([[2, 2]]);
    expect((await book.problems()).map((problem) => problem.code)).toEqual(["file_foreign"]);
    const named = open({ codex: { "rollout-bad.jsonl": ["not json", "{"], "rollout-good.jsonl": [M("g"), R("a")] } });
    expect((await named.turns()).map((turn) => turn.session_id)).toEqual(["g"]);
    expect(await named.audit()).toMatchObject({ balanced: true, totals: { records: { corrupt: 2 } } });
  });

  it("case 27: unreadable, untimed and backward lines are counted, and the session still reads", async () => {
    const book = codex(
      "not json",
      "[]",
      at("yesterday", TC()),
      at("2026-05-12T08:00:01", TC()),
      at(second(9), R("go")),
      at(second(10), A("one")),
      at(null, M("from-meta", { timestamp: second(20) })),
      at(second(5), A("two")),
    );
    const session = only(await book.sessions());
    expect(session).toMatchObject({ session_id: "from-meta", ended_at: second(20) });
    expect(session.diagnostics).toMatchObject({ corrupt_lines: 2, untimed_records: 2, backward_times: 1 });
    expect(await spans(book)).toEqual([[5, 8]]);
    // The old tool made three sentences of the counts; ours names each unreadable line.
    expect((await book.problems()).map((problem) => problem.line)).toEqual([1, 2]);
  });

  it("case 28: headers without payload, time or id do not keep the proper one from being read", async () => {
    const book = codex(
      at(null, codexLine("session_meta", undefined)),
      at(null, codexLine("session_meta", { timestamp: "soon" })),
      M("proper", { cwd: "/nowhere/app" }),
      R("go"),
    );
    const session = only(await book.sessions());
    expect(session).toMatchObject({ session_id: "proper", project: "app", turns: 1 });
    expect(session.diagnostics?.untimed_records).toBeGreaterThanOrEqual(2);
    expect(await spans(book)).toEqual([[4, 4]]);
  });
});
