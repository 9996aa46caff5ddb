import type { Tools } from "../contract.ts";
import { wholeList } from "../kit/todo-list.ts";

export const tools: Tools = { ask: ["ask_user"], plan: ["exit_plan_mode"], todos: { update_todo: wholeList } };
