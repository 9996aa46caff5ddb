import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Daybook } from "../../src/answers/daybook.ts";
import { A, at, claude, codex, codexLine, CU, folder, M, only, open, R, RAW, TC } from "./build.ts";
import { all, filesBelow, prepared, spansIn } from "./workspace.ts";

function hash(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 12);
}

function second(n: number): string {
  return `2026-05-12T08:00:${String(n).padStart(2, "0")}.000Z`;
}

/** Section B: which sessions are found, their names, and where they are copied to. */
describe("B. the workspace's layout", () => {
  it("case 13: without sources a workspace without projects is still written", async () => {
    const none = new Daybook({ roots: {}, timezone: "UTC", env: {}, home: "/nowhere" });
    const result = await prepared(Object.assign(none, { root: { codex: "", claude: "" } }));
    expect(result).toMatchObject({ created: true, projects: 0, sessions: 0, turns: 0, rows: {} });
    expect(Object.keys(filesBelow(result.workspace))).toEqual(["metadata.json"]);
    expect(result.notes).toMatchObject({ source_specs: [], sessions: [], left_out: [] });
  });

  it("case 15: a header and a prompt make one project with one session of one turn", async () => {
    const result = await prepared(codex(M("single", { cwd: "/nowhere/app" }), R("hello")));
    const key = `app-${hash("/nowhere/app")}`;
    expect(Object.keys(filesBelow(result.workspace)).toSorted()).toEqual([
      "metadata.json",
      `projects/${key}/project.json`,
      `projects/${key}/sessions.index.jsonl`,
      `projects/${key}/sessions/codex/rollout-case.jsonl`,
    ]);
    expect(result.rows).toEqual({
      app: [
        {
          session_ref: "S0001",
          source: "codex",
          source_session_id: "single",
          session_path: "sessions/codex/rollout-case.jsonl",
          target_start_line: 2,
          target_end_line: 2,
          subagent_path: "",
          turns: [{ turn_ref: "T0001", turn_start_line: 2, turn_end_line: 2, target_subagents: [] }],
        },
      ],
    });
  });

  it("the index has sorted keys and unescaped text", async () => {
    const result = await prepared(open({ codex: { "rollout-übung.jsonl": [M("s"), R("a")] } }));
    const text = readFileSync(
      join(result.workspace, `projects/app-${hash("/nowhere/app")}/sessions.index.jsonl`),
      "utf8",
    );
    const keys = Object.keys(JSON.parse(text) as object);
    expect(keys).toEqual(keys.toSorted());
    expect(text).toContain("rollout-übung.jsonl");
  });

  it("case 16: the file's base name is the session id, for Codex if the header has none, for Claude always", async () => {
    expect(only(all(await prepared(codex(R("a"))))).source_session_id).toBe("rollout-case");
    expect(only(all(await prepared(claude(CU("a", { sessionId: "another" }))))).source_session_id).toBe("case");
  });

  it("case 17: label and time come from the turn context and the payload if the header has none", async () => {
    const result = await prepared(codex(M("s", { cwd: undefined }), TC({ cwd: "/nowhere/from-context" }), R("a")));
    expect(Object.keys(result.rows)).toEqual(["from-context"]);
    const timed = await prepared(codex(at(null, M("s", { timestamp: second(1) })), R("a")));
    expect(only(timed.notes.sessions)).toMatchObject({
      untimestamped_record_count: 0,
      first_event_at: "2026-05-12T08:00:00Z",
    });
  });

  it("case 18: each session without a directory has its own unknown project", async () => {
    const nowhere = { cwd: undefined };
    const book = open({
      codex: {
        "rollout-1.jsonl": [M("codex-edge-parent", nowhere), R("a")],
        "rollout-2.jsonl": [M("other", nowhere), R("b")],
      },
    });
    const result = await prepared(book);
    expect(result.notes.sessions.map((session) => session.workspace_project_key)).toEqual([
      "unknown-project-3095323caa37",
      `unknown-project-${hash("unknown-project/codex/other")}`,
    ]);
    expect(result.notes.sessions[0]).toMatchObject({
      canonical_project_root: "unknown-project/codex/codex-edge-parent",
      project_root_is_unknown: true,
    });
  });

  it.each([
    [`/nowhere/${"a".repeat(60)}`, "a".repeat(48)],
    ["/nowhere/---", "unknown-project"],
    ["/nowhere/日本語", "日本語"],
  ])("case 20: the directory %s has the label %s", async (cwd, label) => {
    const result = await prepared(codex(M("s", { cwd }), R("a")));
    expect(only(result.notes.sessions)).toMatchObject({
      workspace_project_key: `${label}-${hash(cwd)}`,
      canonical_project_root: cwd,
      project_root_is_unknown: false,
    });
    expect(Object.keys(result.rows)).toEqual([label]);
  });

  it("case 21: the label of a Windows path that does not exist here is its last segment", async () => {
    const result = await prepared(codex(M("s", { cwd: "C:\\code\\app" }), R("a")));
    expect(only(result.notes.sessions).canonical_project_root).toBe("C:/code/app");
    expect(Object.keys(result.rows)).toEqual(["app"]);
  });

  it("case 22: sessions are numbered by source, then id, not in the order of their files", async () => {
    const book = open({
      codex: { "rollout-1.jsonl": [M("b"), R("x")], "rollout-2.jsonl": [M("a"), R("y")] },
      claude: { "z.jsonl": [CU("w")] },
    });
    const rows = all(await prepared(book));
    expect(rows.map((row) => [row.session_ref, row.source, row.source_session_id])).toEqual([
      ["S0001", "claude-code", "z"],
      ["S0002", "codex", "a"],
      ["S0003", "codex", "b"],
    ]);
  });

  it("case 23: two files with the same name in one project are an error before anything is written", async () => {
    const book = open({
      codex: { "a/rollout-same.jsonl": [M("one"), R("x")], "b/rollout-same.jsonl": [M("two"), R("y")] },
    });
    const home = join(folder(), "home");
    await expect(prepared(book, { home })).rejects.toThrow("Session filename collision");
    expect(statSync(join(home, "work"), { throwIfNoEntry: false })).toBeUndefined();
    // In two projects they do not collide.
    const apart = open({
      codex: {
        "a/rollout-same.jsonl": [M("one", { cwd: "/nowhere/one" }), R("x")],
        "b/rollout-same.jsonl": [M("two", { cwd: "/nowhere/two" }), R("y")],
      },
    });
    expect((await prepared(apart)).sessions).toBe(2);
  });

  it("case 25: only the private manifest and the copies contain directories of this machine", async () => {
    const book = codex(M("s", { cwd: "/nowhere/app" }), R("a"));
    const result = await prepared(book);
    for (const [path, text] of Object.entries(filesBelow(result.workspace))) {
      if (!path.includes("/sessions/"))
        expect([path, text.includes("/nowhere"), text.includes(book.root.codex)]).toEqual([path, false, false]);
    }
    expect(result.manifest.startsWith(join(result.home, "private/2026-05-12"))).toBe(true);
    expect(only(result.notes.sessions)).toMatchObject({
      canonical_project_root: "/nowhere/app",
      source_path: join(book.root.codex, "rollout-case.jsonl"),
      workspace_session_path: "sessions/codex/rollout-case.jsonl",
      total_lines: 2,
    });
  });

  it("case 26: a file of malformed lines has no row; a message without content is a prompt", async () => {
    const book = open({
      codex: { "rollout-bad.jsonl": ["not json", "{"], "rollout-good.jsonl": [M("good"), RAW(undefined)] },
    });
    const row = only(all(await prepared(book)));
    expect([row.source_session_id, spansIn(row)]).toEqual(["good", [[2, 2]]]);
  });

  it("case 27: malformed and untimed lines and backward times are counted as warnings; the copy has them", async () => {
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
    const result = await prepared(book);
    expect(spansIn(only(all(result)))).toEqual([[5, 8]]);
    const session = only(result.notes.sessions);
    expect(session).toMatchObject({
      source_session_id: "from-meta",
      malformed_line_count: 2,
      untimestamped_record_count: 2,
      non_monotonic_timestamp_count: 1,
      last_event_at: "2026-05-12T08:00:20Z",
      total_lines: 8,
      warnings: ["2 malformed JSONL line(s)", "2 untimestamped record(s)", "1 non-monotonic timestamp(s)"],
    });
    expect(session.source_checksum_sha256).toBe(session.workspace_checksum_sha256);
  });

  it("case 28: headers without payload, time or id do not hide the valid header after them", async () => {
    const book = codex(
      at(null, codexLine("session_meta", undefined)),
      at(null, codexLine("session_meta", { timestamp: "soon" })),
      M("proper"),
      R("go"),
    );
    const result = await prepared(book);
    expect(only(all(result)).source_session_id).toBe("proper");
    expect(only(result.notes.sessions).untimestamped_record_count).toBeGreaterThanOrEqual(2);
  });
});
