import type { Tools } from "../contract.ts";
import { replaceTool, writeTool } from "../kit/edit-tools.ts";
import { wholeListTool } from "../kit/todo-list.ts";

export const tools: Tools = {
  ask: ["ask_user"],
  plan: ["exit_plan_mode"],
  todos: { write_todos: wholeListTool },
  edits: {
    write_file: writeTool("file_path", "content"),
    replace: replaceTool({ path: "file_path", before: "old_string", after: "new_string", all: "allow_multiple" }),
  },
};
