import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic, DiscoverContext } from "../contract.ts";
import { discoverClaude, kindFromPath, readFacts, sessionIdFromPath } from "./discover.ts";
import { claudeCode } from "./source.ts";
import { fixtures, SESSION, user } from "./testing.ts";
import { describe, expect, it } from "vitest";

const { refOf, scratch, writeSession } = fixtures;

function context(fields: Partial<DiscoverContext> = {}): DiscoverContext & { reports: Diagnostic[] } {
  const reports: Diagnostic[] = [];
  return {
    env: {},
    home: scratch(),
    roots: null,
    report: (diagnostic) => void reports.push(diagnostic),
    reports,
    ...fields,
  };
}

function found(ctx: DiscoverContext, root: string): string[] {
  return [...discoverClaude(ctx)].map((ref) => ref.path.slice(root.length + 1));
}

describe("discovery", () => {
  it("finds session files at any depth, in path order, and skips foreign files", () => {
    const root = scratch();
    const at = (...parts: string[]): string => join(root, "projects", "-w", ...parts);
    writeSession([user("x")], at(`${SESSION}.jsonl`));
    writeSession([user("x")], at(SESSION, "subagents", "workflows", "wf_1", "agent-a1.jsonl"));
    writeSession([{ type: "started", agentId: "a1" }], at(SESSION, "subagents", "workflows", "wf_1", "journal.jsonl"));
    writeSession([user("x")], at(SESSION, "tool-results", "x.jsonl"));
    writeSession([{ kind: "plugin" }], at("plugin.jsonl"));
    writeSession([user("x")], at("backup-of-session.jsonl"));
    writeSession([{ display: "x" }], join(root, "history.jsonl"));
    symlinkSync(root, at("loop"));
    const ctx = context({ env: { CLAUDE_CONFIG_DIR: `${root}, ${join(root, "projects")}` } });
    expect(found(ctx, join(root, "projects", "-w"))).toEqual([
      `${SESSION}.jsonl`,
      `${SESSION}/subagents/workflows/wf_1/agent-a1.jsonl`,
      `${SESSION}/subagents/workflows/wf_1/journal.jsonl`,
      "backup-of-session.jsonl",
    ]);
    expect(ctx.reports.map((one) => one.code)).toEqual(["file_foreign"]);
  });

  it("accepts a file named as root without checking it, and reports missing roots", () => {
    const path = writeSession(["not json"], join(scratch(), "x.jsonl"));
    const ctx = context({ roots: [path, "/nowhere/at/all"] });
    expect([...discoverClaude(ctx)].map((ref) => ref.path)).toEqual([path]);
    expect(ctx.reports.map((one) => one.code)).toEqual(["root_missing"]);
  });

  it("searches the default directories if CLAUDE_CONFIG_DIR is unset (case 13)", () => {
    const home = scratch();
    writeSession([user("x")], join(home, ".config", "claude", "projects", "-w", `${SESSION}.jsonl`));
    const ctx = context({ home });
    expect([...discoverClaude(ctx)]).toHaveLength(1);
    expect(ctx.reports).toEqual([]);
    expect([...discoverClaude(context({ home, env: { CLAUDE_CONFIG_DIR: " " } }))]).toEqual([]);
    const bare = context();
    expect([...discoverClaude(bare)]).toEqual([]);
    expect(bare.reports.map((one) => one.code)).toEqual(["root_missing"]);
  });

  it("distinguishes Claude Code files from files of related agents", () => {
    const other = writeSession([{ type: "user", uuid: "u", sessionId: "s", message: { role: "user", parts: [] } }]);
    expect(claudeCode.recognises(refOf(other))).toBe(false);
    expect(claudeCode.recognises(refOf(writeSession([user("x")])))).toBe(true);
  });
});

describe("identity", () => {
  it("is derived from the path", () => {
    expect(sessionIdFromPath(`/p/${SESSION}.jsonl`)).toBe(SESSION);
    expect(sessionIdFromPath("/p/s/subagents/workflows/wf_1/journal.jsonl")).toBe("wf_1-journal");
    expect(kindFromPath(`/p/${SESSION}.jsonl`)).toBe("root");
    expect(kindFromPath("/p/agent-0f3a.jsonl")).toBe("subagent");
    expect(kindFromPath("/p/s/subagents/agent-acompact-91ff.jsonl")).toBe("internal");
    expect(kindFromPath("/p/s/subagents/agent-ad7268d038060db07.jsonl")).toBe("subagent");
  });
});

describe("facts", () => {
  it("include the input history and titles set by the user", () => {
    const root = scratch();
    const side = join(root, "projects", "-w", SESSION);
    mkdirSync(side, { recursive: true });
    writeFileSync(join(side, "custom-title.json"), '{"customTitle":"mine"}');
    writeSession(
      [{ display: "hi", timestamp: 5, project: "/w", sessionId: SESSION }, "{", { display: 1 }],
      join(root, "history.jsonl"),
    );
    const facts = readFacts(context({ roots: [root] }));
    expect([...facts.titles()]).toEqual([[SESSION, "mine"]]);
    expect(facts.prompts()).toMatchObject([{ line: 1, time: 5, text: "hi", cwd: "/w", sessionId: SESSION }]);
  });
});
