/** A list of steps the agent keeps for itself: plans, todos, tasks. */
export interface TodoList {
  items: TodoItem[];
  line: number;
}

export interface TodoItem {
  text: string;
  status: "pending" | "in_progress" | "completed";
}

type Fields = Readonly<Record<string, unknown>>;

const LIST_TOOLS = /^(?:todo_?write|write_todos|update_plan|update_todo|todo__todo_write|todo__write|todo)$/i;

export function keepsTodos(name: string): boolean {
  return name === "TaskCreate" || name === "TaskUpdate" || LIST_TOOLS.test(name);
}

/**
 * Follows the lists of one session. Most agents write the whole list every time; newer Claude Code keeps single tasks with
 * numbers, so those are remembered.
 */
export class TodoBook {
  readonly #tasks = new Map<string, TodoItem>();

  /** The list as it stands after a call that ended well; null when the call kept no list. */
  after(name: string, input: unknown, output: string, line: number): TodoList | null {
    const fields: Fields = typeof input === "object" && input !== null ? (input as Fields) : {};
    if (name === "TaskCreate") return this.#create(fields, output, line);
    if (name === "TaskUpdate") return this.#update(fields, line);
    if (!LIST_TOOLS.test(name)) return null;
    const list = fields["todos"] ?? fields["plan"] ?? fields["items"] ?? fields["content"];
    const items = Array.isArray(list) ? list.flatMap(itemOf) : typeof list === "string" ? checkboxes(list) : null;
    return items === null ? null : { items, line };
  }

  #create(fields: Fields, output: string, line: number): TodoList | null {
    const text = str(fields["subject"]) ?? str(fields["description"]);
    if (text === null) return null;
    const id = /#(\d{1,9})/.exec(output)?.[1] ?? String(this.#tasks.size + 1);
    this.#tasks.set(id, { text, status: "pending" });
    return this.#list(line);
  }

  #update(fields: Fields, line: number): TodoList | null {
    const id = str(fields["taskId"]) ?? "";
    const known = this.#tasks.get(id);
    if (!known) return null;
    if (fields["status"] === "deleted") this.#tasks.delete(id);
    else this.#tasks.set(id, { text: str(fields["subject"]) ?? known.text, status: statusOf(fields, known.status) });
    return this.#list(line);
  }

  #list(line: number): TodoList {
    return { items: [...this.#tasks.values()].map((item) => ({ ...item })), line };
  }
}

function itemOf(value: unknown): TodoItem[] {
  if (typeof value === "string") return [{ text: value, status: "pending" }];
  if (typeof value !== "object" || value === null) return [];
  const fields = value as Fields;
  for (const key of ["content", "step", "description", "title", "text", "subject"]) {
    const text = str(fields[key]);
    // Cancelled steps are nobody's loose end.
    if (text !== null) return /cancel/i.test(String(fields["status"])) ? [] : [{ text, status: statusOf(fields) }];
  }
  return [];
}

function statusOf(fields: Fields, otherwise: TodoItem["status"] = "pending"): TodoItem["status"] {
  if (fields["completed"] === true) return "completed";
  const status = str(fields["status"])?.toLowerCase().replaceAll("-", "_");
  if (status === "completed" || status === "done") return "completed";
  if (status === "in_progress" || status === "active") return "in_progress";
  return status === "pending" ? "pending" : otherwise;
}

function checkboxes(text: string): TodoItem[] {
  return [...text.matchAll(/^[ \t]{0,12}[-*] \[([ xX~-])\] (.{1,500})$/gm)].map(([, mark = " ", item = ""]) => ({
    text: item.trim(),
    status: /x/i.test(mark) ? "completed" : mark === " " ? "pending" : "in_progress",
  }));
}

function str(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
