import type { Tools } from "../contract.ts";
import { wholeList } from "../kit/todo-list.ts";

export const tools: Tools = { ask: ["question"], plan: ["plan_exit"], todos: { todowrite: wholeList } };
