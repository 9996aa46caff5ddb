/** Tasks in the shape that published files have, for tests. Every value is made up. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const START = Date.UTC(2026, 0, 5, 20, 28);

/** A message of the list; the number of seconds is that since the task began. */
export function message(kind: string, text: unknown, seconds: number, more: object = {}): object {
  const [type = "say", what = "text"] = kind.split("/");
  const said = typeof text === "string" ? text : JSON.stringify(text);
  return { ts: START + seconds * 1000, type, [type]: what, text: said, ...more };
}

/** A request as Cline states it when it has ended. */
export function request(seconds: number, tokens: readonly [number, number, number, number], more: object = {}): object {
  const [tokensIn, tokensOut, cacheWrites, cacheReads] = tokens;
  const sent = "<task>\ngo\n</task>\n\n# Current Working Directory (/srv/work/app) Files\napp.py";
  const modelInfo = { providerId: "cline", modelId: "lab-model", mode: "act" };
  const stated = { request: sent, tokensIn, tokensOut, cacheWrites, cacheReads, cost: 0.01, ...more };
  return message("say/api_req_started", stated, seconds, { modelInfo });
}

export const TASK: readonly object[] = [
  message("say/text", "Add a test for the parser.", 0, { images: [], files: [] }),
  message("say/checkpoint_created", "", 1),
  request(2, [100, 20, 5, 40]),
  message("say/reasoning", "I read the parser first.", 3, { partial: false }),
  message("say/text", "I read the parser.", 4, { partial: true }),
  message("say/tool", { tool: "readFile", path: "parser.py", content: "/srv/work/app/parser.py" }, 5),
  request(6, [10, 8, 0, 160]),
  message("ask/command", "pytest", 7),
  message("ask/command_output", "1 passed", 8),
  message("ask/followup", { question: "Which name?", options: ["a", "b"] }, 9),
  message("say/user_feedback", "b", 10),
  request(11, [5, 3, 0, 170]),
  message("say/completion_result", "The test is in test_parser.py.", 12),
  message("ask/completion_result", "", 13),
  message("say/user_feedback", "And one for the lexer, ünïcödé ✓", 60),
  request(61, [7, 4, 0, 180], { cancelReason: "user_cancelled" }),
];

/** Writes one task below a directory; returns the directory. */
export function writeTask(root: string, messages: readonly object[] | string, id = "1767644899093"): string {
  const path = join(root, "tasks", id, "ui_messages.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof messages === "string" ? messages : JSON.stringify(messages));
  const environment = [{ ts: START, host_name: "Visual Studio Code", cline_version: "3.51.0" }];
  writeFileSync(join(dirname(path), "task_metadata.json"), JSON.stringify({ environment_history: environment }));
  return root;
}

export function sampleTasks(): string {
  const root = mkdtempSync(join(tmpdir(), "daybook-tasks-"));
  writeTask(root, TASK);
  return writeTask(root, TASK.slice(0, 4), "1767644899094");
}
