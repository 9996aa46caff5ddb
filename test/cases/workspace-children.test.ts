import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  A,
  at,
  CA,
  CALL,
  codex,
  CT,
  CU,
  E,
  folder,
  M,
  only,
  open,
  OUT,
  R,
  toolUse,
  type Book,
  type Lines,
} from "./build.ts";
import { all, filesBelow, ids, prepared } from "./workspace.ts";

const SPAWNED = { source: { subagent: { thread_spawn: { parent_thread_id: "parent" } } } };
const CHILD: Lines = [M("child", SPAWNED), R("count the lines"), E("count the lines"), A("3")];
const ASSOCIATION = "spawned_or_returned_in_target_span";

/** A parent with these tool lines from line 4 on, and its child. */
function family(tools: Lines, more: Record<string, Lines> = {}): Book {
  const parent = [M("parent"), R("ask an agent"), A("I will"), ...tools];
  return open({ codex: { "rollout-parent.jsonl": parent, "rollout-child.jsonl": CHILD, ...more } });
}

const SPAWN: Lines = [CALL("c", "spawn_agent", { agent_type: "explorer" }), OUT("c", { agent_id: "child" })];
const RESULT: Lines = [CALL("w", "wait", {}), OUT("w", { status: { child: { completed: "3" } } })];

function before(line: Lines[number]): Lines[number] {
  return typeof line === "string" ? line : at("2026-05-11T08:00:00.000Z", line);
}

/** Section F: children are evidence of the turn that caused them and have no rows of their own. */
describe("F. children in the workspace", () => {
  it.each([
    { source: { subagent: { thread_spawn: { parent_thread_id: "p" } } } },
    { source: { subagent: { thread_spawn: { depth: 1 } } } },
    { source: { subagent: { other: "guardian" } } },
    { source: { subagent: "review" } },
    { source: { subagent: "compact" } },
    { source: { subagent: "future-variant" } },
    { source: { subagent: {} } },
    { source: "cli", thread_source: "subagent" },
    { source: "cli", originator: "Claude Code" },
  ])("case 67: a session with the header %j has no row", async (header) => {
    expect(await prepared(codex(M("s", header), R("task"), E("task"), A("done")))).toMatchObject({ projects: 0 });
  });

  it.each([
    { source: null },
    { source: "cli" },
    { source: "exec" },
    { source: { other: "root" } },
    { source: { subagent: null } },
  ])("case 68: a session with the header %j has a row", async (header) => {
    expect(ids(await prepared(codex(M("s", header), R("ask"), E("ask"), A("done"))))).toEqual(["s"]);
  });

  it("case 70: sidechains of Claude Code, known by their path or their first record, have no rows", async () => {
    const book = open({
      claude: {
        "p/parent/subagents/agent-a1.jsonl": [CU("task"), CA("done")],
        "side.jsonl": [CU("task", { isSidechain: true }), CA("done"), CU("and this")],
      },
    });
    expect(await prepared(book)).toMatchObject({ projects: 0, sessions: 0 });
  });

  it("case 71: the turn lists the agent with role and lines, and its file is copied below the parent's", async () => {
    const result = await prepared(family([...SPAWN, ...RESULT]));
    const row = only(all(result));
    expect(row).toMatchObject({ source_session_id: "parent", subagent_path: "sessions/codex/subagents/parent" });
    expect(only(row.turns).target_subagents).toEqual([
      {
        session_file: "rollout-child.jsonl",
        source_session_id: "child",
        agent_role: "explorer",
        parent_spawn_line: 4,
        parent_result_line: 7,
        association: ASSOCIATION,
      },
    ]);
    const copies = Object.entries(filesBelow(result.workspace)).filter(([path]) => path.includes("/sessions/"));
    const [, child] = only(
      copies.filter(([path]) => path.endsWith("sessions/codex/subagents/parent/rollout-child.jsonl")),
    );
    expect(child).toBe(CHILD.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect(copies).toHaveLength(2);
    expect(only(result.notes.subagents)).toMatchObject({ source_session_id: "child", total_lines: 4 });
  });

  it("case 71: a child that answers in a later turn is listed in both turns and copied once", async () => {
    const result = await prepared(family([...SPAWN, R("and now?"), ...RESULT]));
    const row = only(all(result));
    expect(row.turns.map((turn) => turn.target_subagents.map((child) => child.parent_result_line))).toEqual([[8], [8]]);
    expect(result.subagents).toBe(1);
  });

  it("case 71: a child started on another day is listed in the turn of this day that got its result", async () => {
    const parent = [M("parent"), R("ask"), ...SPAWN].map(before);
    const book = open({
      codex: {
        "rollout-parent.jsonl": [...parent, R("and now?"), ...RESULT],
        "rollout-child.jsonl": CHILD.map(before),
      },
    });
    const turn = only(only(all(await prepared(book))).turns);
    expect(turn).toMatchObject({ turn_start_line: 5, turn_ref: "T0001" });
    expect(turn.target_subagents).toMatchObject([{ parent_spawn_line: 3, parent_result_line: 7 }]);
  });

  it("case 72: a child has no role without arguments and no result line without a result", async () => {
    const bare = await prepared(family([CALL("c", "spawn_agent", ""), OUT("c", { agent_id: "child" })]));
    expect(only(only(all(bare)).turns).target_subagents).toMatchObject([
      { agent_role: null, parent_result_line: null },
    ]);
    for (const status of [{ running: true }, "completed"]) {
      const result = await prepared(family([...SPAWN, CALL("w", "wait", {}), OUT("w", { status: { child: status } })]));
      expect(only(only(all(result)).turns).target_subagents).toMatchObject([{ parent_result_line: null }]);
    }
  });

  it("case 72: calls and outputs without an id associate no child", async () => {
    const result = await prepared(family([CALL(null, "spawn_agent", {}), OUT(null, { agent_id: "child" })]));
    // The child's header names the parent but no turn, so it associates nothing either.
    expect(only(all(result))).toMatchObject({ subagent_path: "", turns: [{ target_subagents: [] }] });
  });

  it("case 72: two files with the child's id are not associated, and both are listed as left out", async () => {
    const orphan = { source: { subagent: { thread_spawn: {} } } };
    const parent = [M("parent"), R("ask"), ...SPAWN];
    const book = open({
      codex: {
        "rollout-parent.jsonl": parent,
        "rollout-1.jsonl": [M("child", orphan), R("task one"), A("1")],
        "rollout-2.jsonl": [M("child", orphan), R("task two"), A("2")],
      },
    });
    const result = await prepared(book);
    expect(only(all(result))).toMatchObject({ subagent_path: "", turns: [{ target_subagents: [] }] });
    expect(result.left_out.map((left) => left.reason)).toEqual(Array(2).fill("several files claim to be this child"));
  });

  it("case 72: a child belongs to the turn that spawned it, early or late in the turn", async () => {
    const late = await prepared(family([A("thinking"), A("still"), ...SPAWN]));
    expect(only(only(all(late)).turns).target_subagents).toMatchObject([{ parent_spawn_line: 6 }]);
    const next = await prepared(family([R("second"), ...SPAWN]));
    expect(only(all(next)).turns.map((turn) => turn.target_subagents.length)).toEqual([0, 1]);
  });

  // The case says result line 9, but a later mention of the agent is no result (see case 73 in f-children.test.ts).
  it("case 73: the agent that Claude called is copied below its session, with the role from its file", async () => {
    const id = "a1b2c3d4e5";
    const parent = [
      CU("ask an agent"),
      CA("first a look"),
      CA([toolUse("t1", "Read", { file_path: "/a" })]),
      CT("t1"),
      CA([toolUse("t2", "Agent", { prompt: "count" })]),
      CT("t2", "3", { toolUseResult: { agentId: id, status: "completed" } }),
      CA(`Agent ${id} counted 3`, { stop: "end_turn" }),
    ];
    const flags = { isSidechain: true, agentId: id, sessionId: "case", attributionAgent: "explorer" };
    const book = open({
      claude: { "case.jsonl": parent, [`case/subagents/agent-${id}.jsonl`]: [CU("count", flags), CA("3", {}, flags)] },
    });
    const row = only(all(await prepared(book)));
    expect(row.subagent_path).toBe("sessions/claude-code/subagents/case");
    expect(only(row.turns).target_subagents).toMatchObject([
      { session_file: `agent-${id}.jsonl`, agent_role: "explorer", parent_spawn_line: 5, parent_result_line: 6 },
    ]);
  });

  it.each([".", ""])(
    "case 75: a Codex session started from Claude Code is listed in the Claude turn (ending %j)",
    async (stop) => {
      const thread = "019f0000-1111-7222-8333-444455556666";
      const lines = [
        CU("let Codex look"),
        CA([toolUse("t1", "Bash", { command: "codex-companion task" })]),
        CT("t1", `[codex] Thread ready (${thread})${stop}\n[codex] Done`),
        CA("done", { stop: "end_turn" }),
      ];
      const companion = [M(thread, { originator: "Claude Code" }), R("look"), E("look"), A("fine")];
      const result = await prepared(open({ claude: { "case.jsonl": lines }, codex: { "rollout-c.jsonl": companion } }));
      const row = only(all(result));
      expect(row).toMatchObject({ source: "claude-code", subagent_path: "sessions/claude-code/subagents/case" });
      expect(only(row.turns).target_subagents).toMatchObject([
        { source: "codex", source_session_id: thread, session_file: "rollout-c.jsonl", parent_result_line: 3 },
      ]);
    },
  );

  it("case 75: a Codex session is not listed if the tool result names only a job", async () => {
    const lines = [
      CU("go"),
      CA([toolUse("t1", "Bash", {})]),
      CT("t1", "started in the background as job 7f3a"),
      CA("ok"),
    ];
    const companion = [M("019f0000-1111-7222-8333-444455556666", { originator: "Claude Code" }), R("look"), A("fine")];
    const result = await prepared(open({ claude: { "case.jsonl": lines }, codex: { "rollout-c.jsonl": companion } }));
    expect([ids(result), result.subagents]).toEqual([["case"], 0]);
  });

  it.each([
    ["prompt_diary", 0],
    ["prompt_diary_other", 1],
    ["codex-tui", 1],
    [null, 1],
    ["codex_python_sdk", 1],
  ])("case 76: a session of the originator %j has %i rows", async (originator, rows) => {
    expect((await prepared(codex(M("s", { originator }), R("ask"), A("a")))).sessions).toBe(rows);
  });

  it("seed 1.4: sessions in Daybook's own directory are left out; a directory with a similar name is kept", async () => {
    const base = folder();
    const home = join(base, "home");
    const cwds = [home, join(home, "work/2026-05-11"), join(base, "home-made"), join(base, "out/projects/x")];
    for (const cwd of cwds) mkdirSync(cwd, { recursive: true });
    const files = Object.fromEntries(cwds.map((cwd, i) => [`rollout-${i}.jsonl`, [M(`s${i}`, { cwd }), R("ask")]]));
    const result = await prepared(open({ codex: files }), { home });
    expect(ids(result).toSorted()).toEqual(["s2", "s3"]);
    expect(result.notes.left_out.map((left) => left.source_session_id)).toEqual(["s0", "s1"]);
  });
});

it("file names and session ids with path or reserved characters become safe paths", async () => {
  const lines: Lines = [M("../../evil", { cwd: "/nowhere/app" }), R("a"), ...SPAWN];
  const result = await prepared(open({ codex: { "rollout-a:b?.jsonl": lines, "rollout-child.jsonl": CHILD } }));
  const row = only(all(result));
  expect(row.session_path).toBe("sessions/codex/rollout-a_b_.jsonl");
  expect(row.subagent_path).toBe("sessions/codex/subagents/__.._evil");
  expect(row.source_session_id).toBe("../../evil");
  expect(
    readFileSync(
      join(result.workspace, "projects", only(result.notes.sessions).workspace_project_key, row.session_path),
      "utf8",
    ),
  ).toContain("evil");
});
