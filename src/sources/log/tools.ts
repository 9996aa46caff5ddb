import type { Tools } from "../contract.ts";
import { wholeList } from "../kit/todo-list.ts";

/** Names that agents without a source of their own use. */
export const tools: Tools = { ask: ["ask_followup_question"], todos: { todo: wholeList } };
