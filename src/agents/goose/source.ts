import { join } from "node:path";
import type { McpClient, Source, Tools } from "../contract.ts";
import { editorTool, replaceTool, wholeListTool, writeTool } from "../kit/tools.ts";
import { discoverGoose, recognises } from "./discover.ts";
import { SOURCE_ID, idOf, legacyId, recordAt } from "./native.ts";
import { readSession } from "./read.ts";

/**
 * Goose does not tell a server which session a call comes from. Servers are configured as extensions, beside the
 * built-in ones.
 */
const mcp: McpClient = {
  variables: ["GOOSE_PATH_ROOT", "XDG_DATA_HOME"],
  servers: {
    files: (env, home) => {
      const root = env["GOOSE_PATH_ROOT"]?.trim() || null;
      const config = env["XDG_CONFIG_HOME"]?.trim() || join(home, ".config");
      if (root !== null) return [join(root, "config", "config.yaml")];
      const windows = env["APPDATA"]?.trim();
      const own = join(config, "goose", "config.yaml");
      return windows ? [join(windows, "Block", "goose", "config", "config.yaml"), own] : [own];
    },
    form: "yaml",
    key: "extensions",
    entry: ([cmd, ...args], envs) => ({
      enabled: true,
      type: "stdio",
      name: "daybook",
      description: "Past sessions of coding agents",
      cmd,
      args,
      envs,
      timeout: 300,
    }),
  },
};

/** Tools of its to-do extension, by the names of two releases. */
const tools: Tools = {
  todos: { todo__todo_write: wholeListTool, todo__write: wholeListTool },
  edits: {
    write: writeTool("path", "content"),
    edit: replaceTool({ path: "path", before: "before", after: "after" }),
    text_editor: editorTool,
  },
};

/** Goose: sessions in a SQLite database; in older releases one JSONL file each. See FORMAT.md. */
export const goose: Source = {
  id: SOURCE_ID,
  name: "Goose",
  capabilities: { retentionDays: null, globalIdentities: true },
  checked: { oldest: "1.34.0", newest: "1.52.0", releases: 2, marked: "schema 16" },
  unknowable: [
    "Calls that were killed, interrupted or malformed, and failed requests: Goose keeps only the prompt. No call, no error, and the token columns stay empty: unknown, which is not 0.",
    "Below schema 15: what each turn cost. The session states one sum; it belongs to the prompt when there is only one, else to none, on the day the session began. Below schema 14 also what was cached: fresh input is overstated. Reasoning is nowhere.",
    "How long a call took (times are whole seconds), the agent's version, whether an imported session repeats its origin's sums.",
  ],
  sessionId: (ref) => ref.key ?? legacyId(ref.path),
  recognises: (ref) => recognises(ref),
  discover: discoverGoose,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, line) => (ref.container === "sqlite" ? recordAt(ref.path, ref.key ?? "", line) : null),
  start: ["goose", "run", "-t"],
  resume: (ref, id) =>
    ref.container === "sqlite"
      ? { words: ["goose", "session", "--resume", "--session-id", idOf(id)] }
      : {
          refused: "unknown_to_agent",
          why: "it lies in a file of an older Goose; today's keeps its sessions in a database",
        },
  mcp: () => mcp,
  tools,
};
