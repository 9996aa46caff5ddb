import type { Tools } from "../contract.ts";
import { replaceTool, writeTool } from "../kit/tools.ts";

export const tools: Tools = {
  edits: {
    write: writeTool("path", "content"),
    // Early releases have one replacement, newer ones a list.
    edit: replaceTool({ path: "path", before: "oldText", after: "newText", list: "edits" }),
  },
};
