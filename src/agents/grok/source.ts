import { join } from "node:path";
import type { McpClient, Source, TodoItem, Tools } from "../contract.ts";
import { recordBeside } from "../kit/bundle.ts";
import { answersAfterKeys, commandEntry, replaceTool, statusOf, writeTool } from "../kit/tools.ts";
import { logSource } from "../kit/log-source.ts";
import { grokHome, LOGS } from "./discover.ts";
import { readSession } from "./read.ts";

const mcp: McpClient = {
  variables: ["GROK_HOME"],
  servers: {
    files: (env, home) => [join(grokHome(env, home), "config.toml")],
    form: "toml",
    key: "mcp_servers",
    entry: commandEntry,
  },
};

const tools: Tools = {
  ask: ["ask_user_question"],
  plan: ["exit_plan_mode"],
  // Calls name only what changes; the whole list is in the result.
  todos: { todo_write: (_input, output) => itemsIn(output) },
  edits: {
    write: writeTool("file_path", "content"),
    search_replace: replaceTool({ path: "file_path", before: "old_string", after: "new_string", all: "replace_all" }),
  },
  answers: {
    unasked: /^No user is available to answer questions/,
    unanswered: /^User declined to answer the questions|^The user wants to clarify these questions/,
    read: (output, questions) =>
      answersAfterKeys(
        output,
        questions.map(({ text }) => `"${text}"="`),
        (segment) => ({ values: [segment.slice(0, segment.lastIndexOf('"'))], note: null }),
      ),
  },
};

function itemsIn(output: string): TodoItem[] {
  return [...output.matchAll(/^- \[(\w+)\] [^:\n]*: (.+)$/gm)].flatMap(([, status = "", text = ""]) =>
    status === "cancelled" ? [] : [{ text, status: statusOf({ status }) }],
  );
}

/** Grok Build: the updates of each session as it sent them to its client, one JSON line for each. See FORMAT.md. */
export const grok: Source = {
  ...logSource(LOGS),
  capabilities: { retentionDays: null, globalIdentities: true },
  checked: { oldest: "1.0.5", newest: "1.0.41", releases: 2, marked: null },
  unknowable: [
    "What titles, recaps and suggestions cost: these requests are in no number. Whether a number is complete, where the agent says that it may not be.",
    "How a command ended that went on in the background of a process that was killed.",
    "The agent's version. Whether it was the terminal: only `-p` is stated. What was typed after `/goal`, which is sent as instructions.",
  ],
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, _line, native) => recordBeside(ref.path, native),
  start: ["grok", "-p"],
  resume: (_ref, id) => ({ words: ["grok", "-r", id] }),
  mcp: () => mcp,
  tools,
};
