import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Diagnostic, DiscoverContext } from "../contract.ts";
import { discoverQwen } from "./discover.ts";
import { hasTranscript, kindFromPath, sessionIdFromPath } from "./native.ts";
import { qwen } from "./source.ts";
import { CORPUS, SESSION, fixtures, user } from "./testing.ts";

const { corpusFile, refOf, scratch, writeSession } = fixtures;

function context(fields: Partial<DiscoverContext> = {}): DiscoverContext & { reports: Diagnostic[] } {
  const reports: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void reports.push(diagnostic);
  return { env: {}, home: scratch(), roots: null, report, reports, ...fields };
}

describe("discovery", () => {
  it("finds the sessions and subagents of a store, in path order", () => {
    const home = scratch();
    const project = join(home, ".qwen", "projects", "-w");
    writeSession([user("x")], join(project, "subagents", SESSION, "agent-a.jsonl"));
    writeSession([user("x")], join(project, "chats", `${SESSION}.jsonl`));
    writeSession([{ type: "x" }], join(project, "plugin.jsonl"));
    for (const ctx of [
      context({ home }),
      context({ env: { QWEN_HOME: join(home, ".qwen") } }),
      context({ env: { QWEN_RUNTIME_DIR: join(home, ".qwen"), QWEN_HOME: "/nowhere" } }),
      ...[home, join(home, ".qwen"), project].map((root) => context({ roots: [root] })),
    ]) {
      expect([...discoverQwen(ctx)].map((ref) => ref.path.slice(project.length + 1))).toEqual([
        `chats/${SESSION}.jsonl`,
        `subagents/${SESSION}/agent-a.jsonl`,
      ]);
      expect(ctx.reports.map((one) => one.code)).toEqual(["file_foreign"]);
    }
  });

  it("accepts a file named as root without checking it, and reports missing roots", () => {
    const path = writeSession(["not json"], join(scratch(), "x.jsonl"));
    const ctx = context({ roots: [path, "/nowhere/at/all"] });
    expect([...discoverQwen(ctx)].map((ref) => ref.path)).toEqual([path]);
    expect(ctx.reports.map((one) => one.code)).toEqual(["root_missing"]);
  });

  it("recognises every file of the corpus, but not a file of Claude Code", () => {
    const ctx = context({ roots: [CORPUS] });
    const refs = [...discoverQwen(ctx)];
    expect(refs).toHaveLength(16);
    expect(refs.every((ref) => qwen.recognises(ref))).toBe(true);
    expect(ctx.reports).toEqual([]);
    const claude = { type: "user", uuid: "u", parentUuid: null, message: { role: "user", content: "x" } };
    expect(qwen.recognises(refOf(writeSession([claude])))).toBe(false);
  });
});

describe("identity", () => {
  it("is derived from the path", () => {
    expect(sessionIdFromPath(`/p/chats/${SESSION}.jsonl`)).toBe(SESSION);
    expect(kindFromPath(`/p/chats/${SESSION}.jsonl`)).toBe("root");
    expect(kindFromPath("/p/subagents/s/agent-a.jsonl")).toBe("subagent");
    const parent = corpusFile("chats/5a5ca63c");
    expect(hasTranscript(parent, "general-purpose-call_LagentS0xmSUfNA6U0")).toBe(true);
    expect(hasTranscript(parent, "managed-auto-memory-extractor-1")).toBe(false);
    expect(hasTranscript(parent, "../../chats/x")).toBe(false);
  });
});
