import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic, DiscoverContext } from "../contract.ts";
import { discoverCopilot } from "./discover.ts";
import { sessionIdFromPath } from "./native.ts";
import { copilot } from "./source.ts";
import { CORPUS, SESSION, fixtures, start, user } from "./testing.ts";
import { describe, expect, it } from "vitest";

const { refOf, scratch, writeSession } = fixtures;

function context(fields: Partial<DiscoverContext> = {}): DiscoverContext & { reports: Diagnostic[] } {
  const reports: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void reports.push(diagnostic);
  return { env: {}, home: scratch(), roots: null, report, reports, ...fields };
}

describe("discovery", () => {
  it("finds sessions of all versions, in path order", () => {
    const home = scratch();
    const store = join(home, ".copilot");
    const at = (...parts: string[]): string => join(store, "session-state", ...parts);
    writeSession([start()], at("b", "events.jsonl"));
    writeSession([start()], at("b", "files", "events.jsonl"));
    writeSession([start()], at("a.jsonl"));
    writeSession([start()], at("b.jsonl"));
    writeSession([{ type: "x" }], at("odd.jsonl"));
    writeSession([{ sessionId: "c", chatMessages: [] }], join(store, "history-session-state", "session_c_1.json"));
    mkdirSync(at("empty"));
    writeFileSync(at("empty", "workspace.yaml"), "id: empty\n");
    for (const ctx of [
      context({ home }),
      context({ env: { COPILOT_HOME: store } }),
      ...[home, store].map((root) => context({ roots: [root] })),
    ]) {
      expect([...discoverCopilot(ctx)].map((ref) => ref.path.slice(store.length + 1))).toEqual([
        "history-session-state/session_c_1.json",
        "session-state/a.jsonl",
        "session-state/b/events.jsonl",
      ]);
      expect(ctx.reports.map((one) => one.code)).toEqual(["file_foreign"]);
    }
    expect([...discoverCopilot(context({ roots: [at("b")] }))]).toHaveLength(1);
  });

  it("accepts a file named as root without checking it, and reports missing roots", () => {
    const path = writeSession(["not json"], join(scratch(), "x.jsonl"));
    const ctx = context({ roots: [path, "/nowhere/at/all"] });
    expect([...discoverCopilot(ctx)].map((ref) => ref.path)).toEqual([path]);
    expect(ctx.reports.map((one) => one.code)).toEqual(["root_missing"]);
  });

  it("recognises every session of the corpus, but no file of another agent", () => {
    const ctx = context({ roots: [CORPUS] });
    const refs = [...discoverCopilot(ctx)];
    expect(refs).toHaveLength(14);
    expect(refs.every((ref) => copilot.recognises(ref))).toBe(true);
    expect(ctx.reports).toEqual([]);
    expect(copilot.recognises(refOf(writeSession([{ type: "user", uuid: "u" }])))).toBe(false);
  });
});

describe("identity and facts", () => {
  it("derive the session id from the path, or else from the file", () => {
    expect(sessionIdFromPath(`/s/${SESSION}/events.jsonl`)).toBe(SESSION);
    expect(sessionIdFromPath(`/s/${SESSION}.jsonl`)).toBe(SESSION);
    expect(sessionIdFromPath(`/s/session_${SESSION}_17.json`)).toBe(SESSION);
    expect(sessionIdFromPath(writeSession([start(), user("x")], join(scratch(), "moved", "events.jsonl")))).toBe(
      SESSION,
    );
  });

  it("include the titles of sessions", () => {
    const titles = copilot.facts?.(context({ roots: [CORPUS] })).titles();
    expect(titles?.get("04f6c590-2285-4759-8e96-ca953e5f89a2")).toBe("First question: list the files. [lab:ls]");
  });
});
