import { join } from "node:path";
import type { McpClient, Source, Tools } from "../contract.ts";
import { answersAfterKeys, jsonServers, replaceTool, wholeListTool, writeTool } from "../kit/tools.ts";
import { discoverQwen, isQwenFile } from "./discover.ts";
import { SOURCE_ID, sessionIdFromPath } from "./native.ts";
import { readSession } from "./read.ts";

const mcp: McpClient = {
  variables: ["QWEN_HOME"],
  servers: jsonServers((env, home) => [join(env["QWEN_HOME"]?.trim() || join(home, ".qwen"), "settings.json")]),
};

const tools: Tools = {
  ask: ["ask_user_question"],
  plan: ["exit_plan_mode"],
  todos: { todo_write: wholeListTool },
  edits: {
    write_file: writeTool("file_path", "content"),
    edit: replaceTool({ path: "file_path", before: "old_string", after: "new_string", all: "replace_all" }),
  },
  answers: {
    /** Answers are listed after the question's header: `**Header**: answer`, one after the other. */
    read: (output, questions) => {
      if (!output.startsWith("User has provided the following answers")) return null;
      const keys = questions.map(({ header }) => `\n**${header ?? ""}**: `);
      return answersAfterKeys(output, keys, (segment) => ({ values: [segment.trim()], note: null }));
    },
  },
};

/** Qwen Code: JSONL transcripts under `projects/`, one file per session and per subagent. See FORMAT.md. */
export const qwen: Source = {
  id: SOURCE_ID,
  name: "Qwen Code",
  capabilities: {
    shellVariables: ["QWEN_CODE"],
    retentionDays: null,
    globalIdentities: true,
    commandsAsText: true,
  },
  checked: { oldest: "0.5.0", newest: "0.24.4", releases: 5 },
  unknowable: [
    "The typed form of a command under `-p` whose file is not at hand: stored expanded, as if a human had typed it.",
    "Retried requests; whether a plain prompt came from the terminal or `-p`; commands typed with `!`.",
    "The usage of a stream that was cut.",
  ],
  sessionId: (ref) => sessionIdFromPath(ref.path),
  recognises: (ref) => isQwenFile(ref.path) === "yes",
  discover: discoverQwen,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  start: ["qwen"],
  resume: (_ref, id) => ({ words: ["qwen", "--resume", id] }),
  mcp: () => mcp,
  tools,
};
