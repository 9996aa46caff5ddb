import type { Tools } from "../contract.ts";
import { editorTool, replaceTool, writeTool } from "../kit/edit-tools.ts";
import { wholeListTool } from "../kit/todo-list.ts";

/** Tools of its to-do extension, by the names of two releases. */
export const tools: Tools = {
  todos: { todo__todo_write: wholeListTool, todo__write: wholeListTool },
  edits: {
    write: writeTool("path", "content"),
    edit: replaceTool({ path: "path", before: "before", after: "after" }),
    text_editor: editorTool,
  },
};
