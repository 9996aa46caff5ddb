import type { TodoItem } from "../../agents/contract.ts";
import { todoToolOf } from "../../agents/traits.ts";

/** A list of steps the agent keeps for itself: plans, todos, tasks. */
export interface TodoList {
  items: TodoItem[];
  line: number;
}

/** Tracks the to-do lists of one session. */
export class TodoTracker {
  readonly #tasks = new Map<string, TodoItem>();

  /** The list after a successful call; null when the call did not change one. */
  after(name: string, input: unknown, output: string, line: number): TodoList | null {
    const fields = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
    const items = todoToolOf(name)?.(fields, output, this.#tasks) ?? null;
    return items === null ? null : { items, line };
  }
}
