import { join } from "node:path";
import type { Source, Tools } from "../contract.ts";
import { commandEntry, replaceTool, wholeListTool, writeTool } from "../kit/tools.ts";
import { discoverCrush, recognises } from "./discover.ts";
import { SOURCE_ID } from "./native.ts";
import { readSession, recordAt } from "./read.ts";

const EDIT = { path: "file_path", before: "old_string", after: "new_string", all: "replace_all" };

const tools: Tools = {
  todos: { todos: wholeListTool },
  edits: { multiedit: replaceTool({ ...EDIT, list: "edits" }), write: writeTool("file_path", "content") },
};

/** Crush: a SQLite database in every project. See FORMAT.md. */
export const crush: Source = {
  id: SOURCE_ID,
  name: "Crush",
  capabilities: { retentionDays: null, globalIdentities: true },
  checked: { oldest: "0.86.0", newest: "0.86.0", releases: 1, marked: null },
  unknowable: [
    "Tokens: the columns hold those of the last request alone, with those of a title on top, so no sum can be made of them. The cost that Crush keeps for a session includes its sub-agents and titles and names no tokens; it is not shown.",
    "Whether a written file was new. Whether a summary was asked for or the context was full.",
    "The agent's version, and whether it was the terminal or `crush run`.",
  ],
  sessionId: (ref) => ref.key ?? "",
  recognises: (ref) => recognises(ref),
  discover: discoverCrush,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, line) => recordAt(ref, line),
  tools,
  start: ["crush", "run"],
  resume: (_ref, id) => ({ words: ["crush", "--session", id] }),
  mcp: () => ({
    variables: ["CRUSH_GLOBAL_DATA", "XDG_DATA_HOME"],
    servers: {
      files: (env, home) => [join(env["XDG_CONFIG_HOME"]?.trim() || join(home, ".config"), "crush", "crush.json")],
      form: "json",
      key: "mcp",
      entry: (command, env) => ({ type: "stdio", ...commandEntry(command, env) }),
    },
  }),
};
