import { join } from "node:path";
import type { EditTool, McpClient, Source, Tools } from "../contract.ts";
import { recordBeside } from "../kit/bundle.ts";
import { jsonServers, replaceTool, textOf, writeTool } from "../kit/tools.ts";
import { logSource } from "../kit/log-source.ts";
import { dataOf, LOGS } from "./discover.ts";
import { readSession } from "./read.ts";

const mcp: McpClient = {
  variables: ["CLINE_DATA_DIR", "CLINE_DIR"],
  servers: jsonServers((env, home) => [join(dataOf(env, home), "settings", "cline_mcp_settings.json")]),
};

/** Without an old text the whole file is written. */
const editor: EditTool = (input) => {
  if (textOf(input, "old_text") !== null)
    return replaceTool({ path: "path", before: "old_text", after: "new_text" })(input);
  return Object.hasOwn(Object(input), "insert_line") ? null : writeTool("path", "new_text")(input);
};

const tools: Tools = { ask: ["ask_question"], edits: { editor } };

/** Cline from version 3 on: a document of messages for every session, shared by the CLI and the editors. See FORMAT.md. */
export const cline: Source = {
  ...logSource(LOGS),
  capabilities: { retentionDays: null, globalIdentities: true },
  checked: { oldest: "3.0.57", newest: "3.0.65", releases: 2 },
  unknowable: [
    "A stream that was cut: neither words nor usage. Reasoning tokens, which are part of the output.",
    "A compaction, which changes what the model sees and not the messages; what it cost is nowhere.",
    "How a command ended that goes on after its call. Which of several commands in one call took how long.",
  ],
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, _line, native) => recordBeside(ref.path, native),
  start: ["cline"],
  resume: (_ref, id) => ({ words: ["cline", "--id", id] }),
  mcp: () => mcp,
  tools,
};
