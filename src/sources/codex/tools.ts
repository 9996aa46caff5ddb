import type { Tools } from "../contract.ts";
import { patchTool, scriptTool, shellTool } from "./edits.ts";
import { wholeListTool } from "../kit/todo-list.ts";

export const tools: Tools = {
  ask: ["request_user_input", "request_user_input_async"],
  todos: { update_plan: wholeListTool },
  edits: {
    apply_patch: patchTool,
    exec: scriptTool,
    // Names of the shell tool in different versions.
    shell: shellTool,
    local_shell: shellTool,
    shell_command: shellTool,
    exec_command: shellTool,
  },
  answers: {
    unasked: /^\s*request_user_input is unavailable/i,
    unanswered: /^\s*request_user_input was\b/i,
    added: "None of the above",
    note: "user_note: ",
  },
};
