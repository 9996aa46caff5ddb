import type { Source, Tools } from "../contract.ts";
import { parsedInput } from "../kit/blocks.ts";
import { obj, objects, str } from "../kit/native.ts";
import { replaceTool, wholeListTool, writeTool } from "../kit/tools.ts";
import { logSource } from "../kit/log-source.ts";
import { LOGS } from "./discover.ts";
import { readSession, recordAt } from "./read.ts";

const tools: Tools = {
  ask: ["ui.ask_user_question"],
  todos: { "vibe.todo": wholeListTool },
  edits: {
    "file_system.write_file": writeTool("path", "content"),
    "file_system.search_replace": replaceTool({
      path: "file_path",
      before: "old_str",
      after: "new_str",
      all: "replace_all",
      list: "content",
    }),
  },
  answers: {
    unanswered: /"cancelled":\s*true/,
    read(output, questions) {
      const answers = objects(obj(parsedInput(output))?.["answers"]);
      const found = questions.map(({ text }) => str(answers.find(({ question }) => question === text)?.["answer"]));
      return answers.length === 0 ? null : found.map((one) => (one === null ? null : { values: [one], note: null }));
    },
  },
};

/** Mistral Vibe 3: a directory for each session, with snapshots of its history and a journal. See FORMAT.md. */
export const vibe: Source = {
  ...logSource(LOGS),
  capabilities: { retentionDays: null, globalIdentities: true },
  checked: { oldest: "3.0.3", newest: "3.0.3", releases: 1, marked: null },
  unknowable: [
    "What turns cost whose journal was deleted, in a session of several: only the sum is left. Reasoning tokens of early releases.",
    "How a turn before the last one ended, where its last entry does not tell. What was taken back by a rewind.",
    "The ids that the model gave to calls. That something in the background ended and made the model go on.",
    "The agent's version, and whether it was the terminal or `-p`.",
  ],
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, line) => recordAt(ref, line),
  start: ["vibe", "-p"],
  resume: (_ref, id) => ({ words: ["vibe", "--resume", id] }),
  tools,
};
