/** GitHub Copilot CLI as a source: its MCP servers, and what its tools do. */
import { join } from "node:path";
import type { McpClient, Source, Tools } from "../contract.ts";
import { editorTool, replaceTool, wholeListTool, writeTool } from "../kit/tools.ts";
import { discoverCopilot, isCopilotFile, readFacts } from "./discover.ts";
import { sessionIdFromPath, SOURCE_ID } from "./native.ts";
import { readSession } from "./read.ts";

const mcp: McpClient = {
  variables: ["COPILOT_HOME"],
  servers: {
    files: (env, home) => [join(env["COPILOT_HOME"]?.trim() || join(home, ".copilot"), "mcp-config.json")],
    form: "json",
    key: "mcpServers",
    entry: ([command, ...args], env) => ({
      type: "local",
      command,
      args,
      tools: ["*"],
      ...(Object.keys(env).length === 0 ? {} : { env }),
    }),
  },
};

const tools: Tools = {
  ask: ["ask_user"],
  plan: ["exit_plan_mode"],
  todos: { update_todo: wholeListTool },
  edits: {
    create: writeTool("path", "file_text"),
    edit: replaceTool({ path: "path", before: "old_str", after: "new_str" }),
    str_replace_editor: editorTool,
  },
};

/** GitHub Copilot CLI: one event log per session under `session-state/`, including its subagents. See FORMAT.md. */
export const copilot: Source = {
  id: SOURCE_ID,
  name: "GitHub Copilot CLI",
  capabilities: { retentionDays: null, globalIdentities: true },
  checked: { oldest: "1.0.12", newest: "1.0.102", releases: 3 },
  unknowable: [
    "Earlier titles: the last one replaces them. What a rewind took back: the file is rewritten.",
    "Retried requests, and a stream cut by an interrupt: neither words nor usage.",
    "In old versions, which turn the input tokens belong to: only the session's end states them; a killed session has output only.",
  ],
  sessionId: (ref) => sessionIdFromPath(ref.path),
  recognises: (ref) => isCopilotFile(ref.path) === "yes",
  discover: discoverCopilot,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  start: ["copilot", "-p"],
  resume: (_ref, id) => ({ words: ["copilot", `--resume=${id}`] }),
  facts: (ctx) => readFacts(ctx),
  mcp: () => mcp,
  tools,
};
