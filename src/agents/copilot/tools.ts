import type { Tools } from "../contract.ts";
import { editorTool, replaceTool, wholeListTool, writeTool } from "../kit/tools.ts";

export const tools: Tools = {
  ask: ["ask_user"],
  plan: ["exit_plan_mode"],
  todos: { update_todo: wholeListTool },
  edits: {
    create: writeTool("path", "file_text"),
    edit: replaceTool({ path: "path", before: "old_str", after: "new_str" }),
    str_replace_editor: editorTool,
  },
};
