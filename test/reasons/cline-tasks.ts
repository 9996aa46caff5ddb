import { reasonsOf } from "../../src/agents/kit/chat.ts";
import { CLASSES } from "../../src/agents/cline-tasks/read.ts";
import { message, TASK, writeTask } from "../../src/agents/cline-tasks/testing.ts";
import type { Listed } from "./listed.ts";

const DEEP = JSON.parse(`${"[".repeat(3000)}${"]".repeat(3000)}`) as object;

export const CLINE_TASKS: Listed = {
  reasons: reasonsOf("tasks", CLASSES),
  folder: "src/agents/cline-tasks",
  prefix: "tasks",
  fixtures: /^cline-tasks-/,
  files: [],
  make(root) {
    const odd = [
      message("say/hologram", "", 70),
      message("say/condense_context", "", 71),
      DEEP,
      1 as unknown as object,
    ];
    writeTask(root, [...TASK, message("say/error", "no such file", 69), ...odd]);
    writeTask(root, '[{"ts":1,"type":"say"', "2");
  },
  unreached: Object.fromEntries(
    ["blank", "nul_bytes", "too_large", "torn"].map((name) => [`tasks.line.${name}`, "a document has no lines"]),
  ),
};
