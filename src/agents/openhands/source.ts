import { join } from "node:path";
import type { Source, Tools } from "../contract.ts";
import { editorTool, jsonServers, wholeListTool } from "../kit/tools.ts";
import { logSource } from "../kit/log-source.ts";
import { LOGS } from "./discover.ts";
import { readSession, recordAt } from "./read.ts";

const tools: Tools = {
  todos: { task_tracker: (input, output, tasks) => wholeListTool({ todos: input["task_list"] }, output, tasks) },
  edits: { file_editor: editorTool },
};

/** OpenHands CLI: a directory for each conversation, with one file for each event. See FORMAT.md. */
export const openhands: Source = {
  ...logSource(LOGS),
  capabilities: { retentionDays: null, globalIdentities: true },
  checked: { oldest: "1.2.1", newest: "1.16.0", releases: 2, marked: null },
  unknowable: [
    "Tokens of a response during which the agent was killed: it writes them after the event.",
    "How a command ended that ended its own terminal, or that went on when its time was over: the stored code is -1.",
    "Whether the history was condensed by `/condense` or because it was too long. Which turn a sub-agent's tokens belong to, if its conversation was deleted when it ended.",
    "The agent's version. Whether it was the terminal or `--headless`. The zone of its times, which are taken for local.",
  ],
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, line, native) => recordAt(ref, line, native),
  tools,
  start: ["openhands", "--headless", "-t"],
  resume: (_ref, id) => ({ words: ["openhands", "--resume", id] }),
  mcp: () => ({
    variables: ["OPENHANDS_PERSISTENCE_DIR", "OPENHANDS_CONVERSATIONS_DIR"],
    servers: jsonServers((env, home) => [
      join(env["OPENHANDS_PERSISTENCE_DIR"]?.trim() || join(home, ".openhands"), "mcp.json"),
    ]),
  }),
};
