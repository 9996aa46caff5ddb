import type { Tools } from "../contract.ts";
import { replaceTool, writeTool } from "../kit/edit-tools.ts";

export const tools: Tools = {
  edits: {
    write: writeTool("path", "content"),
    // One replacement at first, a list of them in newer releases.
    edit: replaceTool({ path: "path", before: "oldText", after: "newText", list: "edits" }),
  },
};
