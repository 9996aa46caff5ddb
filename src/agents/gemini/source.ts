import { join } from "node:path";
import type { McpClient, Source, Tools } from "../contract.ts";
import { jsonServers, replaceTool, wholeListTool, writeTool } from "../kit/tools.ts";
import { discoverGemini, isGeminiFile, readFacts } from "./discover.ts";
import { SOURCE_ID, sessionIdFromPath } from "./native.ts";
import { readSession } from "./read.ts";

const mcp: McpClient = {
  variables: ["GEMINI_CLI_HOME"],
  servers: jsonServers((env, home) => [join(env["GEMINI_CLI_HOME"]?.trim() || home, ".gemini", "settings.json")]),
};

const tools: Tools = {
  ask: ["ask_user"],
  plan: ["exit_plan_mode"],
  todos: { write_todos: wholeListTool },
  edits: {
    write_file: writeTool("file_path", "content"),
    replace: replaceTool({ path: "file_path", before: "old_string", after: "new_string", all: "allow_multiple" }),
  },
};

/** Gemini CLI: one file per session under `tmp/<project>/chats`, JSON lines or, in older versions, one document. See FORMAT.md. */
export const gemini: Source = {
  id: SOURCE_ID,
  name: "Gemini CLI",
  capabilities: {
    shellVariables: ["GEMINI_CLI"],
    retentionDays: 30,
    globalIdentities: true,
    commandsAsText: true,
  },
  checked: { oldest: "0.24.0", newest: "0.61.0", releases: 3, marked: null },
  unknowable: [
    "A running call: it is written when it has ended. After a kill the file ends with the words before it, and the turn looks answered.",
    "Interrupts while the model speaks, API errors, retries: nothing is written; a refused request removed the whole file.",
    "The agent's version, how long a call took, whether it was the terminal or `-p`. That `/compress` was typed.",
    "In 0.24: the tokens of a response that only called tools. Its calls are added to the message before.",
    "Sessions the agent deleted (after 30 days by default; two of the genuine ones vanished for reasons unknown).",
  ],
  sessionId: (ref) => sessionIdFromPath(ref.path),
  recognises: (ref) => isGeminiFile(ref.path) === "yes",
  discover: discoverGemini,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  start: ["gemini", "-p"],
  resume: (_ref, id) => ({ words: ["gemini", "--resume", id] }),
  facts: (ctx) => readFacts(ctx),
  mcp: () => mcp,
  tools,
};
