import type { TodoItem, TodoTool } from "../contract.ts";
import type { Native } from "./native.ts";

/** Most agents write the whole list every time: as objects, as texts, or as a text of checkboxes. */
export const wholeList: TodoTool = (input) => {
  const list = input["todos"] ?? input["plan"] ?? input["items"] ?? input["content"];
  return Array.isArray(list) ? list.flatMap(itemOf) : typeof list === "string" ? checkboxes(list) : null;
};

function itemOf(value: unknown): TodoItem[] {
  if (typeof value === "string") return [{ text: value, status: "pending" }];
  if (typeof value !== "object" || value === null) return [];
  const fields = value as Native;
  for (const key of ["content", "step", "description", "title", "text", "subject"]) {
    const text = wordsIn(fields[key]);
    // Cancelled steps are nobody's loose end.
    if (text !== null) return /cancel/i.test(String(fields["status"])) ? [] : [{ text, status: statusOf(fields) }];
  }
  return [];
}

/** As the fields of a step say it. */
export function statusOf(fields: Native, otherwise: TodoItem["status"] = "pending"): TodoItem["status"] {
  if (fields["completed"] === true) return "completed";
  const status = wordsIn(fields["status"])?.toLowerCase().replaceAll("-", "_");
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

/** A text that says something. */
export function wordsIn(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
