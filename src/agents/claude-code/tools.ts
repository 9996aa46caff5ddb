import type { FileEdit, GivenAnswer, TodoItem, TodoTool, Tools } from "../contract.ts";
import {
  answersAfterKeys,
  fieldsOf,
  nonBlankString,
  replaceTool,
  statusOf,
  textOf,
  wholeListTool,
  writeTool,
} from "../kit/tools.ts";

const EDIT = { path: "file_path", before: "old_string", after: "new_string", all: "replace_all" };

export const tools: Tools = {
  ask: ["AskUserQuestion"],
  plan: ["ExitPlanMode"],
  // Newer versions have tools for single, numbered tasks.
  todos: { TodoWrite: wholeListTool, TaskCreate: createTask, TaskUpdate: updateTask },
  edits: {
    Write: writeTool("file_path", "content"),
    Edit: replaceTool(EDIT),
    MultiEdit: replaceTool({ ...EDIT, list: "edits" }),
    NotebookEdit: notebookEdit,
  },
  answers: {
    /**
     * `"question"="answer", "question"="answer". You can now …`, or `. Read the answers …` with a free-text answer
     * (2.1.325).
     */
    read: (output, questions) => {
      const keys = questions.map(({ text }) => `"${text}"="`);
      return answersAfterKeys(output, keys, pairEnd);
    },
  },
};

function notebookEdit(input: unknown): FileEdit[] | null {
  const [path, source] = [textOf(input, "notebook_path"), textOf(input, "new_source")];
  const how = fieldsOf(input)["edit_mode"] ?? "replace";
  if (path === null || (how !== "replace" && how !== "insert" && how !== "delete")) return null;
  const [cell, type] = [textOf(input, "cell_id"), textOf(input, "cell_type")];
  return [{ kind: "notebook", path, how, cell, type, source: source ?? "" }];
}

function createTask(...[fields, output, tasks]: Parameters<TodoTool>): TodoItem[] | null {
  const text = nonBlankString(fields["subject"]) ?? nonBlankString(fields["description"]);
  if (text === null) return null;
  const id = /#(\d{1,9})/.exec(output)?.[1] ?? String(tasks.size + 1);
  tasks.set(id, { text, status: "pending" });
  return listed(tasks);
}

function updateTask(...[fields, , tasks]: Parameters<TodoTool>): TodoItem[] | null {
  const id = nonBlankString(fields["taskId"]) ?? "";
  const known = tasks.get(id);
  if (!known) return null;
  if (fields["status"] === "deleted") tasks.delete(id);
  else tasks.set(id, { text: nonBlankString(fields["subject"]) ?? known.text, status: statusOf(fields, known.status) });
  return listed(tasks);
}

function listed(tasks: ReadonlyMap<string, TodoItem>): TodoItem[] {
  return [...tasks.values()].map((item) => ({ ...item }));
}

const ENDS = [". You can now continue", ". Read the answers carefully"];

function pairEnd(segment: string, last: boolean): GivenAnswer {
  const end = last ? Math.max(...ENDS.map((text) => segment.lastIndexOf(text))) : segment.lastIndexOf(", ");
  const body = end === -1 ? segment : segment.slice(0, end);
  const notes = body.lastIndexOf(" user notes: ");
  const said = notes === -1 ? body : body.slice(0, notes);
  const preview = said.indexOf('" selected preview:');
  const answer = (preview === -1 ? said : said.slice(0, preview)).replace(/"\.?$/, "");
  return { values: [answer], note: notes === -1 ? null : body.slice(notes + " user notes: ".length) };
}
