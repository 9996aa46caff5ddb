import type { Source, Tools } from "../contract.ts";
import { replaceTool, writeTool } from "../kit/tools.ts";
import { logSource } from "../kit/log-source.ts";
import { LOGS } from "./discover.ts";
import { readSession } from "./read.ts";

const tools: Tools = {
  edits: {
    write: writeTool("path", "content"),
    // Early releases have one replacement, newer ones a list.
    edit: replaceTool({ path: "path", before: "oldText", after: "newText", list: "edits" }),
  },
};

/** pi: JSONL files under `sessions/`, one per session, whose records form a tree. See FORMAT.md. */
export const pi: Source = {
  ...logSource(LOGS),
  capabilities: {
    retentionDays: null,
    globalIdentities: true,
    commandsAsText: true,
  },
  checked: { oldest: "0.30.2", newest: "0.87.1", releases: 4, marked: "session v3" },
  unknowable: [
    "A session killed before its first answer: nothing is on disk until then.",
    "The typed form of prompt templates (`/greet …`) whose file is not at hand: they are stored expanded. Whether `/compact` was typed or the context overflowed.",
    "Exact output up to 0.52: pi added the reasoning to an output that held it already.",
    "The agent's version (files name a format version), whether it was the terminal or `-p`, whether a written file was new.",
  ],
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  tools,
  start: ["pi", "-p"],
  resume: (_ref, id) => ({ words: ["pi", "--session", id] }),
};
