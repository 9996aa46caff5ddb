import type { Tools } from "../contract.ts";
import { replaceTool, textOf, writeTool } from "../kit/edit-tools.ts";
import { patchEdits } from "../kit/patch-language.ts";
import { wholeListTool } from "../kit/todo-list.ts";

const EDIT = { path: "filePath", before: "oldString", after: "newString", all: "replaceAll" };

export const tools: Tools = {
  ask: ["question"],
  plan: ["plan_exit"],
  todos: { todowrite: wholeListTool },
  edits: {
    write: writeTool("filePath", "content"),
    edit: replaceTool(EDIT),
    multiedit: replaceTool({ ...EDIT, list: "edits" }),
    apply_patch: (input) => patchEdits(textOf(input, "patchText") ?? ""),
  },
};
