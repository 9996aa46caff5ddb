import { join } from "node:path";
import type { McpClient, Source, Tools } from "../contract.ts";
import { recordBeside } from "../kit/bundle.ts";
import { jsonServers, replaceTool, wholeListTool, writeTool } from "../kit/tools.ts";
import { logSource } from "../kit/log-source.ts";
import { kimiHome, LOGS } from "./discover.ts";
import { readSession } from "./read.ts";

const mcp: McpClient = {
  variables: ["KIMI_CODE_HOME"],
  servers: jsonServers((env, home) => [join(kimiHome(env, home), "mcp.json")]),
};

const tools: Tools = {
  ask: ["AskUserQuestion"],
  plan: ["ExitPlanMode"],
  todos: { TodoList: wholeListTool },
  edits: {
    Write: writeTool("path", "content"),
    Edit: replaceTool({ path: "path", before: "old_string", after: "new_string", all: "replace_all" }),
  },
  answers: {
    unasked: /is disabled while auto permission mode is active/,
  },
};

/** Kimi Code: a log of JSON lines for every agent of a session, with the session's state beside them. See FORMAT.md. */
export const kimi: Source = {
  ...logSource(LOGS),
  capabilities: { retentionDays: null, globalIdentities: true },
  checked: { oldest: "0.43.1", newest: "2.1.0", releases: 2, marked: "protocol 1.5" },
  unknowable: [
    "The agent's version (files name the version of their format), and whether it was the terminal or `-p`.",
    "How a command ended that went on in the background. What was spent on a stream that was cut. Reasoning tokens.",
    "What a slash command was expanded from to the letter: the name of the skill and its arguments are stored.",
  ],
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, _line, native) => recordBeside(ref.path, native),
  start: ["kimi", "-p"],
  resume: (_ref, id) => ({ words: ["kimi", "-r", id] }),
  mcp: () => mcp,
  tools,
};
