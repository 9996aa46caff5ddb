import type { Source, Tools } from "../contract.ts";
import { patchEdits, replaceTool, textOf, wholeListTool, writeTool } from "../kit/tools.ts";
import { discoverChats, recognise, sessionIdOf, SOURCE_ID } from "./discover.ts";
import { readSession, recordAt } from "./read.ts";

const tools: Tools = {
  ask: ["vscode_askQuestions"],
  todos: { manage_todo_list: (input, output, tasks) => wholeListTool({ todos: input["todoList"] }, output, tasks) },
  edits: {
    create_file: writeTool("filePath", "content"),
    replace_string_in_file: replaceTool({ path: "filePath", before: "oldString", after: "newString" }),
    apply_patch: (input) => patchEdits(textOf(input, "input") ?? ""),
  },
};

/** Copilot Chat in VS Code: a document for each session, or a log of changes to one. See FORMAT.md. */
export const vscodeCopilot: Source = {
  id: SOURCE_ID,
  name: "VS Code Copilot Chat",
  capabilities: { retentionDays: null },
  checked: null,
  unknowable: [
    "Tokens of a turn in which the model was asked more than once: only those of the last request are stated, and none of them is shown. What was read from the cache is among the input. Where they are not stated, nothing is.",
    "When a part of a response was written: only the request and its end have times.",
    "How a command ended that the terminal could not follow, or that went on in the background. Whether a tool failed, in releases that keep no result.",
    "What was asked before a prompt was edited or a checkpoint restored: the requests are removed.",
    "The editor's version. The folder of a window without one, and of a workspace with several.",
  ],
  sessionId: (ref) => sessionIdOf(ref.path),
  recognises: (ref) => recognise(ref.path),
  discover: discoverChats,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, line) => recordAt(ref, line),
  tools,
  resume: () => ({ refused: "unknown_to_agent", why: "it is a conversation of the editor: open it there" }),
};
