import { expect, test } from "vitest";
import type { ToolView } from "../../views/tool-view.ts";
import { IndexStore } from "./index-store.ts";
import { IndexQueries } from "./queries.ts";
import { putCall } from "./session-rows.ts";

test("each call counts once by its command, and an expected exit code is no failure", () => {
  const store = IndexStore.unnamed();
  const call = (n: number, command: string, more: Partial<ToolView>): void => {
    const tool: ToolView = {
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
    };
    putCall(store, { key: "s/1", n, time: null, tool, view: JSON.stringify(tool) });
  };
  call(0, "npm test", { status: "failed", duration_ms: 5 });
  call(1, "npm test", { duration_ms: 7 });
  call(2, "grep x y", { status: "failed", expected_exit: true });
  call(3, "", { name: "Read", input: { file_path: "/a" }, status: "denied" });
  const counts = new IndexQueries(store, null).commandCounts({ range: { start: null, end: null } });
  expect(counts).toEqual([
    { tool: "Bash", command: "npm test", calls: 2, failed: 1, denied: 0, duration_ms: 12, longest_ms: 7 },
    { tool: "Read", command: null, calls: 1, failed: 0, denied: 1, duration_ms: 0, longest_ms: 0 },
    { tool: "Bash", command: "grep", calls: 1, failed: 0, denied: 0, duration_ms: 0, longest_ms: 0 },
  ]);
  store.close();
});
