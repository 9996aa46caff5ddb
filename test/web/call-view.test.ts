import { describe, expect, it } from "vitest";
import { callView } from "../../web/src/lib/call-view.ts";
import { diffOf, sizeOf } from "../../web/src/lib/diff-lines.ts";
import type { Call } from "../../web/src/lib/turn-items.ts";

function view(name: string, input: unknown): ReturnType<typeof callView> {
  return callView({ started: { name, input } } as unknown as Call, "/home/a/src");
}

const TODOS = [
  { content: "a", status: "completed" },
  { content: "b", status: "in_progress" },
];

describe("the view of a tool call", () => {
  it.each([
    ["Bash", { command: "npm test", description: "Run" }, "run", "npm test"],
    ["exec_command", { cmd: "ls" }, "run", "ls"],
    ["shell", { command: ["bash", "-lc", "ls -l"] }, "run", "ls -l"],
    ["exec", 'await tools.exec_command({ "cmd": "git status" })', "run", "git status"],
    ["Read", { file_path: "/home/a/src/b/c.ts" }, "read", "b/c.ts"],
    ["Edit", { file_path: "/home/a/src/b.ts", old_string: "a", new_string: "b" }, "edit", "b.ts"],
    ["Write", { file_path: "/etc/b.ts", content: "a" }, "write", "/etc/b.ts"],
    ["Grep", { pattern: "todo", path: "/home/a/src/b" }, "search", "todo in b"],
    ["WebFetch", { url: "https://example.test/", prompt: "what" }, "fetch", "https://example.test/"],
    ["AskUserQuestion", { questions: [{ question: "Which?" }] }, "ask", "Which?"],
    ["Agent", { description: "Look around", prompt: "…", subagent_type: "Explore" }, "agent", "Look around"],
    ["TodoWrite", { todos: TODOS }, "plan", "1 of 2 steps done · b"],
    ["mcp__tide__get_chart", { station: 4 }, "get chart", '{"station":4}'],
    ["odd", null, "odd", ""],
  ])("has a verb and a summary for %s %j", (name, input, verb, summary) => {
    expect(view(name, input)).toMatchObject({ verb, summary });
  });

  it("lists the changes of patches in both formats", () => {
    const patch = "*** Begin Patch\n*** Add File: a.py\n+one\n*** Update File: b.py\n@@\n-old\n+new\n*** End Patch";
    const { verb, summary, changes } = view("apply_patch", patch);
    expect([verb, summary]).toEqual(["edit", "a.py, b.py"]);
    expect(changes.map((change) => sizeOf(diffOf(change)))).toEqual([
      { added: 1, removed: 0 },
      { added: 1, removed: 1 },
    ]);
    const unified = view("patch", { diff: "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n" });
    expect(unified.changes.map(({ path }) => path)).toEqual(["x.ts"]);
  });
});

describe("the diff of a change", () => {
  it("has added, removed and nearby unchanged lines, and leaves distant lines out", () => {
    const same = Array.from({ length: 20 }, (_, i) => `line ${i}`).join("\n");
    const lines = diffOf({ path: "x", before: `${same}\nold`, after: `${same}\nnew`, patch: null });
    expect(lines.map(({ sign }) => sign).join("")).toBe("@   -+");
    expect(diffOf({ path: "x", before: "a", after: "a\n", patch: null })).toEqual([]);
    expect(diffOf({ path: "x", before: null, after: "a\nb\n", patch: null })).toHaveLength(2);
  });
});
