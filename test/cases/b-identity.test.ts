import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toProject, ProjectNamer, type Project } from "../../src/views/projects/project.ts";
import { Daybook, inside } from "../../src/answers/daybook.ts";
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

/** Section B: discovery, identity, layout. Cases 23, 25 and 30 to 32 are about the workspace. */
describe("B. identity", () => {
  // The order of sources does not matter here. The environment variables are those of the agents.
  it("case 13: by default the agents' own directories are read; a blank variable turns a source off", async () => {
    const home = folder();
    write(join(home, ".codex/sessions/2026/05/12/rollout-c.jsonl"), [M("c"), R("to Codex")]);
    write(join(home, ".claude/projects/-w/k.jsonl"), [CU("to Claude")]);
    const book = new Daybook({ home, env: {}, timezone: "UTC" });
    expect(
      inside(book)
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
    for (const empty of [blank, new Daybook({ roots: {} }), new Daybook({ home: folder(), env: {} })]) {
      expect([await empty.sessions(), await empty.turns(), await empty.tools()]).toEqual([[], [], []]);
      expect(await empty.audit()).toMatchObject({ balanced: true, totals: { sessions: 0, files: 0 } });
    }
  });

  it("case 15: a header and a prompt make one session of one project with one turn", async () => {
    const book = codex(M("single", { cwd: "/nowhere/app" }), R("hello"));
    expect(only(await book.sessions())).toMatchObject({ session_id: "single", project: "app", turns: 1 });
    expect(await spans(book)).toEqual([[2, 2]]);
  });

  it("case 16: the file's base name is the session id, for Codex if the header has none, for Claude always", async () => {
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

  it("case 18: each session without a directory has its own unknown project", async () => {
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

  it("case 20: a label has at most 48 characters or is unknown-project; the key always uses the real root", () => {
    const long = `/nowhere/${"a".repeat(60)}`;
    expect(name(long)).toEqual({ project: "a".repeat(48), project_key: key("a".repeat(48), long) });
    // A name of dots and dashes only gives no label; a name in any script does, unlike in the tool of the cases.
    for (const root of ["/nowhere/---", "/nowhere/..."]) {
      expect(name(root)).toEqual({ project: "unknown-project", project_key: key("unknown-project", root) });
    }
    expect(name("/nowhere/日本語")).toEqual({ project: "日本語", project_key: key("日本語", "/nowhere/日本語") });
    // Examples of seed 1.4.
    expect(name("/fake/projects/ReportGenerator").project_key).toBe("ReportGenerator-e3486f912e44");
    expect(name("/home/a/My Project (v2)").project_key).toBe("My-Project-v2-9ee1bb072e1b");
  });

  it("case 21: the label of a Windows path that does not exist here is its last segment", () => {
    expect(name("C:\\code\\app")).toEqual({ project: "app", project_key: key("app", "C:/code/app") });
  });

  // References such as S0001 exist only in the workspace, which uses this order.
  it("case 22: sessions with the same time are ordered by source, then id", async () => {
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

  // A malformed file is no session, unless its name is that of a session file: then it is a session without turns, and
  // its lines are counted so that the audit balances.
  it("case 26: a file of malformed lines has no turns; a message without content is a prompt", async () => {
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

  it("case 27: malformed and untimed lines and backward times are counted, and the session is still read", async () => {
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
    // Each unreadable line is a problem of its own; the tool of the cases reported only counts.
    expect((await book.problems()).map((problem) => problem.line)).toEqual([1, 2]);
  });

  it("case 28: headers without payload, time or id do not hide the valid header after them", async () => {
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
