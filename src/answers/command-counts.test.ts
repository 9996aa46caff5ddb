import { expect, test } from "vitest";
import { commandCounts } from "./command-counts.ts";
import { programName } from "./program-name.ts";
import type { ToolView } from "./tool-view.ts";

test("programName is the main program of a shell call, with its subcommand", () => {
  const nameOf = (command: unknown): string | null => programName("Bash", { command });
  expect(nameOf("cd web && npm test -- --run")).toBe("npm test");
  expect(nameOf("git -c x=y status")).toBe("git status");
  expect(nameOf(["bash", "-lc", "rg -n foo src | head"])).toBe("rg");
  expect(nameOf("sudo systemctl restart nginx")).toBe("systemctl restart");
  expect(nameOf("cd src")).toBe("cd");
  expect(nameOf("cat notes.txt")).toBe("cat");
  expect(programName("Read", { file_path: "/a" })).toBeNull();
});

test("commandCounts counts each call once, and an expected exit code is no failure", () => {
  const call = (command: string, more: Partial<ToolView>): ToolView => ({
    source: "s",
    session_id: "1",
    session_path: "",
    turn_ref: null,
    call_id: "c",
    parent_call_id: null,
    name: "Bash",
    input: { command },
    status: "ok",
    exit_code: null,
    duration_ms: null,
    started_at: null,
    start_line: 1,
    end_line: null,
    error: null,
    risks: [],
    ...more,
  });
  const counts = commandCounts([
    call("npm test", { status: "failed", duration_ms: 5 }),
    call("npm test", { duration_ms: 7 }),
    call("grep x y", { status: "failed", expected_exit: true }),
    call("", { name: "Read", input: { file_path: "/a" }, status: "denied" }),
  ]);
  expect(counts).toEqual([
    { tool: "Bash", command: "npm test", calls: 2, failed: 1, denied: 0, duration_ms: 12, longest_ms: 7 },
    { tool: "Read", command: null, calls: 1, failed: 0, denied: 1, duration_ms: 0, longest_ms: 0 },
    { tool: "Bash", command: "grep", calls: 1, failed: 0, denied: 0, duration_ms: 0, longest_ms: 0 },
  ]);
});
