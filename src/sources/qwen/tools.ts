import type { Tools } from "../contract.ts";
import { answersAfterKeys } from "../kit/answers.ts";
import { replaceTool, writeTool } from "../kit/edit-tools.ts";
import { wholeListTool } from "../kit/todo-list.ts";

export const tools: Tools = {
  ask: ["ask_user_question"],
  plan: ["exit_plan_mode"],
  todos: { todo_write: wholeListTool },
  edits: {
    write_file: writeTool("file_path", "content"),
    edit: replaceTool({ path: "file_path", before: "old_string", after: "new_string", all: "replace_all" }),
  },
  answers: {
    /** Answers are listed after the question's header: `**Header**: answer`, one after the other. */
    read: (output, questions) => {
      if (!output.startsWith("User has provided the following answers")) return null;
      const keys = questions.map(({ header }) => `\n**${header ?? ""}**: `);
      return answersAfterKeys(output, keys, (segment) => ({ values: [segment.trim()], note: null }));
    },
  },
};
