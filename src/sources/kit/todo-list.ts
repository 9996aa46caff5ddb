import type { TodoItem, TodoTool } from "../contract.ts";
import type { Native } from "./native.ts";

/** For agents that write the whole list every time: as objects, as strings, or as a text with checkboxes. */
export const wholeListTool: TodoTool = (input) => {
  const list = input["todos"] ?? input["plan"] ?? input["items"] ?? input["content"];
  return Array.isArray(list) ? list.flatMap(itemOf) : typeof list === "string" ? checkboxes(list) : null;
};

function itemOf(value: unknown): TodoItem[] {
  if (typeof value === "string") return [{ text: value, status: "pending" }];
  if (typeof value !== "object" || value === null) return [];
  const fields = value as Native;
  for (const key of ["content", "step", "description", "title", "text", "subject"]) {
    const text = nonBlankString(fields[key]);
    // Cancelled steps are left out: they are not unfinished work.
    if (text !== null) return /cancel/i.test(String(fields["status"])) ? [] : [{ text, status: statusOf(fields) }];
  }
  return [];
}

/** The status stated by the fields of a step; `otherwise` if they state none. */
export function statusOf(fields: Native, otherwise: TodoItem["status"] = "pending"): TodoItem["status"] {
  if (fields["completed"] === true) return "completed";
  const status = nonBlankString(fields["status"])?.toLowerCase().replaceAll("-", "_");
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

/** A string that is not blank; null for anything else. */
export function nonBlankString(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
