import type { Source, Tools } from "../contract.ts";
import { replaceTool, wholeListTool, writeTool } from "../kit/tools.ts";
import { discoverContinue, recognise, sessionIdOf, SOURCE_ID } from "./discover.ts";
import { readSession } from "./read.ts";

const tools: Tools = {
  ask: ["AskQuestion"],
  todos: { Checklist: (input, output, tasks) => wholeListTool({ content: input["checklist"] }, output, tasks) },
  edits: {
    Write: writeTool("filepath", "content"),
    Edit: replaceTool({ path: "file_path", before: "old_string", after: "new_string", all: "replace_all" }),
  },
};

/** Continue: a document of messages for every session, shared by the CLI and the editors. See FORMAT.md. */
export const continueCli: Source = {
  id: SOURCE_ID,
  name: "Continue",
  capabilities: { retentionDays: null },
  checked: { oldest: "1.5.47", newest: "1.5.47", releases: 1 },
  unknowable: [
    "When anything was said: only the beginning of a session has a time.",
    "How a command ended: no exit code is stored, and `done` is also stored for one that failed without a message.",
    "A run that was killed, interrupted, refused by the model's server or left at a question: nothing is written before a run ends.",
    "The agent's version; whether it was the terminal, `-p` or an editor; that a session repeats another (`--fork`): messages have no ids.",
  ],
  sessionId: (ref) => sessionIdOf(ref.path),
  recognises: (ref) => recognise(ref.path) === "yes",
  discover: discoverContinue,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  start: ["cn", "-p"],
  resume: (_ref, id) => ({
    words: ["cn", "--fork", id],
    note: "It goes on in a copy: `cn --resume` only knows the session used last.",
  }),
  tools,
};
