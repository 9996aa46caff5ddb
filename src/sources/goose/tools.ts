import type { Tools } from "../contract.ts";
import { editorTool, replaceTool, writeTool } from "../kit/edit-tools.ts";
import { wholeList } from "../kit/todo-list.ts";

/** Of its extension for lists, by the names of two releases. */
export const tools: Tools = {
  todos: { todo__todo_write: wholeList, todo__write: wholeList },
  edits: {
    write: writeTool("path", "content"),
    edit: replaceTool({ path: "path", before: "before", after: "after" }),
    text_editor: editorTool,
  },
};
