import { expect, test } from "vitest";
import { commandCounts } from "./command-counts.ts";
import { programName } from "./program-name.ts";
import type { ToolView } from "./tool-view.ts";

test("a shell's call is named by the program that was meant, with its subcommand", () => {
  const named = (command: unknown): string | null => programName("Bash", { command });
  expect(named("cd web && npm test -- --run")).toBe("npm test");
  expect(named("git -c x=y status")).toBe("git status");
  expect(named(["bash", "-lc", "rg -n foo src | head"])).toBe("rg");
  expect(named("sudo systemctl restart nginx")).toBe("systemctl restart");
  expect(named("cd src")).toBe("cd");
  expect(named("cat notes.txt")).toBe("cat");
  expect(programName("Read", { file_path: "/a" })).toBeNull();
});

test("calls are counted once each, and an exit code that is an answer is no failure", () => {
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
