import type { Source, Tools } from "../contract.ts";
import { replaceTool, wholeListTool, writeTool } from "../kit/tools.ts";
import { discoverCursor, recognises, sessionIdOf } from "./discover.ts";
import { SOURCE_ID } from "./native.ts";
import { readSession, recordAt } from "./read.ts";

const tools: Tools = {
  ask: ["ask_question", "AskQuestion"],
  todos: {
    // A call may name only the items that change.
    todo_write: (input, output, tasks) => (input["merge"] === true ? null : wholeListTool(input, output, tasks)),
  },
  edits: {
    search_replace: replaceTool({ path: "file_path", before: "old_string", after: "new_string", all: "replace_all" }),
    StrReplace: replaceTool({ path: "path", before: "old_string", after: "new_string", all: "replace_all" }),
    Write: writeTool("path", "contents"),
  },
};

/** Cursor: the editor's conversations, and transcripts of its agent and of the CLI. See FORMAT.md. */
export const cursor: Source = {
  id: SOURCE_ID,
  name: "Cursor",
  capabilities: { retentionDays: null },
  checked: null,
  unknowable: [
    "Tokens, in most releases: the database has a field for them that is 0, because Cursor counts on its servers. Where it is not 0 it names input and output alone: what was read from the cache is among the input.",
    "Which model answered where Cursor chose it (`default`).",
    "How a turn ended, except the last one of a conversation. Which messages were taken back.",
    "In transcripts: how any call ended, models, and all times but those of prompts, which are whole minutes. The working directory, where Cursor left no file that names it.",
    "What a compaction said, and whether it was asked for. What Cursor cleaned from its database.",
    "The agent's version.",
  ],
  sessionId: (ref) => ref.key ?? sessionIdOf(ref.path),
  recognises: (ref) => recognises(ref),
  discover: discoverCursor,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, line) => recordAt(ref, line),
  tools,
  start: ["cursor-agent", "-p"],
  resume: ({ container }, id) =>
    container === "jsonl"
      ? { words: ["cursor-agent", "--resume", id] }
      : { refused: "unknown_to_agent", why: "it is a conversation of the editor: open it there" },
};
