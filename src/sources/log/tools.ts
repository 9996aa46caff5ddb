import type { Tools } from "../contract.ts";
import { wholeListTool } from "../kit/todo-list.ts";

/** Tool names used by agents that have no source of their own. */
export const tools: Tools = { ask: ["ask_followup_question"], todos: { todo: wholeListTool } };
