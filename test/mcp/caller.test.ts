import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Daybook } from "../../src/answers/daybook.ts";
import * as codex from "../cases/build.ts";
import { open } from "../store/fixture.ts";
import { connected } from "./client.ts";

/** Sessions as the agents write them; hand-written, because files do not say which session calls the server. */
const OTHER = "019e2f1c-0000-7000-8000-000000000001";
const ASKING = "019e2f1c-0000-7000-8000-000000000002";
const ELSEWHERE = "019e2f1c-0000-7000-8000-000000000003";
const CLAUDE = "11111111-2222-4333-8444-555555555555";
/** A session begun by `/clear`, and another one that runs in the same directory. */
const CLEARED = "22222222-2222-4333-8444-555555555555";
const RUNNING = "33333333-2222-4333-8444-555555555555";

const BEGUN: Readonly<Record<string, string>> = {
  [OTHER]: "2026-05-12T08:00:00.000Z",
  [ASKING]: "2026-05-13T11:50:00.000Z",
  [ELSEWHERE]: "2026-05-13T11:55:00.000Z",
};

describe("the calling session, which MCP answers leave out,", () => {
  let daybook: Daybook = open({});
  beforeAll(() => {
    const dir = codex.folder();
    const { M, TS, TD, R, E, A, CALL, CU, CA, at, toolUse } = codex;
    const write = (id: string, cwd: string, ...lines: codex.Lines): unknown =>
      codex.write(join(dir, "codex", `rollout-2026-05-13T11-00-00-${id}.jsonl`), [
        at(BEGUN[id] ?? null, M(id, { cwd })),
        ...lines,
      ]);
    const now = (line: codex.Line): codex.Line => at("2026-05-13T11:58:00.000Z", line);
    write(OTHER, "/nowhere/app", TS(), R("finished work"), E("finished work"), A("Done."), TD());
    // Its turn is still running: the call to the MCP server has no result yet.
    write(
      ASKING,
      "/nowhere/app",
      ...[TS(), R("about the migration"), E("about the migration"), CALL("c1", "list")].map(now),
    );
    write(ELSEWHERE, "/nowhere/other", ...[TS(), R("not here"), E("not here"), CALL("c1", "list")].map(now));
    codex.write(join(dir, "claude", "-nowhere-app", `${CLAUDE}.jsonl`), [
      CU("and what did they do", { sessionId: CLAUDE, version: "2.1.0", userType: "external" }),
      CA("They did things.", { stop: "end_turn", output: 12 }),
    ]);
    for (const [id, time] of [
      [CLEARED, "2026-05-13T11:58:00.000Z"],
      [RUNNING, "2026-05-13T11:40:00.000Z"],
    ] as const)
      codex.write(join(dir, "claude", "-nowhere-cleared", `${id}.jsonl`), [
        at(time, CU("go on", { sessionId: id, version: "2.1.325", userType: "external", cwd: "/nowhere/cleared" })),
        at(time, CA([toolUse("t1", "mcp__daybook__list", {})])),
      ]);
    const roots = { codex: [join(dir, "codex")], "claude-code": [join(dir, "claude")] };
    daybook = open(roots, join(dir, "home"), { noSync: true, now: codex.NOW, timezone: "UTC" });
  });
  afterAll(() => daybook.close());

  const listed = async (
    options: { cwd?: string; env?: Record<string, string>; since?: number },
    more: { name?: string; meta?: Record<string, unknown> } = {},
    of: readonly string[] = [OTHER, ASKING, ELSEWHERE, CLAUDE],
  ): Promise<string[]> => {
    const { cwd = null, env = {}, since = 0 } = options;
    const { ask } = await connected({ daybook, cwd, env, since }, more);
    const { inside } = await ask("list", {});
    const names = [...inside.matchAll(/^(\S+) · /gm)].map(([, name = ""]) => name);
    return of.filter((id) => names.some((name) => id.startsWith(name)));
  };

  it("is known from the server's environment, as of Claude Code 2.1.325", async () => {
    const env = { CLAUDE_CODE_SESSION_ID: CLAUDE };
    expect(await listed({ cwd: "/nowhere/app", env })).toEqual([OTHER, ASKING, ELSEWHERE]);
  });

  it("is the newer one after /clear in Claude Code 2.1.325, if the one that started the server is idle", async () => {
    const env = { CLAUDE_CODE_SESSION_ID: CLAUDE };
    const since = Date.parse("2026-05-13T11:00:00.000Z");
    expect(await listed({ cwd: "/nowhere/app", env, since })).toEqual([OTHER, ASKING, ELSEWHERE]);
    // The session before /clear is history for it.
    expect(await listed({ cwd: "/nowhere/cleared", env, since }, {}, [CLAUDE, CLEARED, RUNNING])).toEqual([
      CLAUDE,
      RUNNING,
    ]);
    // A session begun before the server, or while the server's own session is running, is another caller's.
    const later = Date.parse("2026-05-13T11:59:00.000Z");
    expect(await listed({ cwd: "/nowhere/cleared", env, since: later }, {}, [CLEARED])).toEqual([CLEARED]);
    const working = { CLAUDE_CODE_SESSION_ID: RUNNING };
    expect(await listed({ cwd: "/nowhere/cleared", env: working, since }, {}, [CLEARED, RUNNING])).toEqual([CLEARED]);
  });

  it("is known from the metadata of the call, as of Codex 0.166", async () => {
    const meta = { threadId: ELSEWHERE, sessionId: ELSEWHERE };
    expect(await listed({ cwd: "/nowhere/app" }, { meta })).toEqual([OTHER, ASKING, CLAUDE]);
  });

  it("is otherwise the one in the server's directory whose turn is running", async () => {
    expect(await listed({ cwd: "/nowhere/app" })).toEqual([OTHER, ELSEWHERE, CLAUDE]);
    expect(await listed({ cwd: "/nowhere/app" }, { name: "codex-mcp-client" })).toEqual([OTHER, ELSEWHERE, CLAUDE]);
    // A session of another agent cannot be this client's.
    expect(await listed({ cwd: "/nowhere/app" }, { name: "opencode" })).toEqual([OTHER, ASKING, ELSEWHERE, CLAUDE]);
  });

  it("is left out of recall too", async () => {
    const meta = { threadId: ASKING };
    const { ask } = await connected({ daybook, cwd: "/nowhere/app", env: {} }, { meta });
    const { inside } = await ask("recall", { question: "the migration" });
    expect(inside).not.toContain(ASKING);
    const { inside: others } = await (
      await connected({ daybook, cwd: null, env: {} })
    ).ask("recall", {
      question: "the migration",
    });
    expect(others).toContain(ASKING);
  });

  it("is unknown without environment, metadata and directory", async () => {
    expect(await listed({})).toEqual([OTHER, ASKING, ELSEWHERE, CLAUDE]);
  });

  it("has the sessions of its project listed first", async () => {
    const { ask } = await connected({ daybook, cwd: "/nowhere/app", env: { CLAUDE_CODE_SESSION_ID: "none" } });
    const first = (await ask("list", {})).inside.split("\n")[0] ?? "";
    // The newest session belongs to another project.
    expect(first).toContain(" · app · ");
  });
});
