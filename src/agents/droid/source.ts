import { join } from "node:path";
import type { McpServerList, Source, Tools } from "../contract.ts";
import { recordBeside } from "../kit/bundle.ts";
import { commandEntry, jsonServers, replaceTool, writeTool } from "../kit/tools.ts";
import { logSource } from "../kit/log-source.ts";
import { LOGS } from "./discover.ts";
import { readSession } from "./read.ts";

/** Every server states how it is reached. */
const servers: McpServerList = {
  ...jsonServers((_env, home) => [join(home, ".factory", "mcp.json")]),
  entry: (command, env) => ({ type: "stdio", ...commandEntry(command, env) }),
};

const tools: Tools = {
  edits: {
    Create: writeTool("file_path", "content"),
    Edit: replaceTool({ path: "file_path", before: "old_str", after: "new_str", all: "change_all" }),
  },
};

/** Factory Droid: JSON lines under `sessions/`, with settings and totals beside them. See FORMAT.md. */
export const droid: Source = {
  ...logSource(LOGS),
  capabilities: { retentionDays: null, globalIdentities: true },
  checked: { oldest: "0.117.0", newest: "0.215.0", releases: 2, marked: "session v2" },
  unknowable: [
    "What each turn cost: tokens are stated for the whole session, and belong to no turn. Reasoning tokens.",
    "That SIGINT stopped a command: the agent stores a signal and goes on.",
    "The agent's version (files name the version of their format). What sub-agents did: none could be started.",
  ],
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, _line, native) => recordBeside(ref.path, native),
  start: ["droid", "exec"],
  resume: (_ref, id) => ({ words: ["droid", "--resume", id] }),
  mcp: () => ({ servers }),
  tools,
};
