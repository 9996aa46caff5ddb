import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Diagnostic, DiscoverContext } from "../contract.ts";
import { discoverGemini } from "./discover.ts";
import { kindFromPath, parentFromPath, projectRoot, sessionIdFromPath } from "./native.ts";
import { gemini } from "./source.ts";
import { CORPUS, HEADER, fixtures, user } from "./testing.ts";

const { refOf, scratch, writeSession } = fixtures;

function context(fields: Partial<DiscoverContext> = {}): DiscoverContext & { reports: Diagnostic[] } {
  const reports: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void reports.push(diagnostic);
  return { env: {}, home: scratch(), roots: null, report, reports, ...fields };
}

function found(ctx: DiscoverContext, root: string): string[] {
  return [...discoverGemini(ctx)].map((ref) => ref.path.slice(root.length + 1));
}

describe("discovery", () => {
  it("finds the sessions and subagents of a store, in path order", () => {
    const home = scratch();
    const chats = join(home, ".gemini", "tmp", "p", "chats");
    const id = "11111111-2222-4333-8444-555555555555";
    writeSession([HEADER], join(chats, "session-2026-01-01T00-00-b.jsonl"));
    writeSession([HEADER], join(chats, "session-2025-01-01T00-00-a.json"));
    writeSession([HEADER], join(chats, id, "s.jsonl"));
    writeSession([HEADER], join(chats, id, "old.json")); // 0.38.2
    writeSession([{ kind: "plugin", type: "x" }], join(chats, "plugin.jsonl"));
    writeSession(["[]"], join(chats, "..", "checkpoint-x.json"));
    writeSession([HEADER], join(chats, "..", "tool-outputs", "session-x.jsonl"));
    const expected = [
      `${id}/old.json`,
      `${id}/s.jsonl`,
      "session-2025-01-01T00-00-a.json",
      "session-2026-01-01T00-00-b.jsonl",
    ];
    for (const ctx of [
      context({ home }),
      context({ env: { GEMINI_CLI_HOME: home } }),
      ...[home, join(home, ".gemini"), chats, join(home, ".gemini", "tmp")].map((root) => context({ roots: [root] })),
    ]) {
      expect(found(ctx, chats)).toEqual(expected);
      expect(ctx.reports.map((one) => one.code)).toEqual(["file_foreign"]);
    }
  });

  it("accepts a file named as root without checking it, and reports missing roots", () => {
    const path = writeSession(["not json"], join(scratch(), "x.jsonl"));
    const ctx = context({ roots: [path, "/nowhere/at/all"] });
    expect([...discoverGemini(ctx)].map((ref) => ref.path)).toEqual([path]);
    expect(ctx.reports.map((one) => one.code)).toEqual(["root_missing"]);
    const bare = context();
    expect([...discoverGemini(bare)]).toEqual([]);
    expect(bare.reports.map((one) => one.code)).toEqual(["root_missing"]);
  });

  it("recognises every file of the corpus", () => {
    const ctx = context({ roots: [CORPUS] });
    const refs = [...discoverGemini(ctx)];
    expect(refs).toHaveLength(13);
    expect(refs.every((ref) => gemini.recognises(ref))).toBe(true);
    expect(ctx.reports).toEqual([]);
  });

  it("does not recognise files of related agents", () => {
    const other = { uuid: "u", parentUuid: null, sessionId: "s", type: "user", message: { role: "user", parts: [] } };
    expect(gemini.recognises(refOf(writeSession([other])))).toBe(false);
    expect(gemini.recognises(refOf(writeSession([user("x"), { $set: {} }])))).toBe(false);
  });
});

describe("identity", () => {
  it("is derived from the path, and the working directory from the store", () => {
    const root = scratch();
    const project = join(root, "tmp", "p");
    const path = join(project, "chats", "session-2026-01-01T00-00-abcd1234.jsonl");
    expect(sessionIdFromPath(path)).toBe("abcd1234");
    expect(kindFromPath(path)).toBe("root");
    const child = join(project, "chats", "parent", "child.jsonl");
    expect(kindFromPath(child)).toBe("subagent");
    expect(parentFromPath(child)).toEqual({ source: "gemini", session_id: "parent" });
    expect(projectRoot(path, null)).toBe(null);
    mkdirSync(project, { recursive: true });
    writeFileSync(join(root, "projects.json"), JSON.stringify({ projects: { "/a": "q", "/b": "p" } }));
    expect(projectRoot(child, null)).toBe("/b");
    writeFileSync(join(project, ".project_root"), "/marked\n");
    expect(projectRoot(path, null)).toBe("/marked");
  });
});

describe("facts", () => {
  it("include the prompts of the input log", () => {
    const root = scratch();
    const project = join(root, "tmp", "p");
    mkdirSync(project, { recursive: true });
    const log = [
      { sessionId: "s", messageId: 0, type: "user", message: "hi", timestamp: "2026-01-01T00:00:00.000Z" },
      { type: "model" },
    ];
    writeFileSync(join(project, "logs.json"), JSON.stringify(log));
    const facts = gemini.facts?.(context({ roots: [root] }));
    expect(facts?.prompts()).toMatchObject([{ sessionId: "s", text: "hi", line: 1, time: Date.UTC(2026, 0, 1) }]);
  });
});
