import type { TodoItem } from "../sources/contract.ts";
import { todoTool } from "../sources/traits.ts";

/** A list of steps the agent keeps for itself: plans, todos, tasks. */
export interface TodoList {
  items: TodoItem[];
  line: number;
}

/** Follows the lists of one session. */
export class TodoBook {
  readonly #tasks = new Map<string, TodoItem>();

  /** The list as it stands after a call that ended well; null when the call kept no list. */
  after(name: string, input: unknown, output: string, line: number): TodoList | null {
    const fields = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
    const items = todoTool(name)?.(fields, output, this.#tasks) ?? null;
    return items === null ? null : { items, line };
  }
}
