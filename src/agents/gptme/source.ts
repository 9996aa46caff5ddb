import type { Source, Tools } from "../contract.ts";
import { writeTool } from "../kit/tools.ts";
import { discoverGptme, recognise, sessionIdOf, SOURCE_ID } from "./discover.ts";
import { readSession } from "./read.ts";

const tools: Tools = { edits: { save: writeTool("path", "content") } };

/** gptme: a directory for each conversation, with one line for each message. See FORMAT.md. */
export const gptme: Source = {
  id: SOURCE_ID,
  name: "gptme",
  capabilities: { retentionDays: null },
  checked: { oldest: "0.35.1", newest: "0.35.1", releases: 1, marked: null },
  unknowable: [
    "Calls in the formats `markdown` and `xml`: they are code blocks in the text of an answer, and nothing tells one that ran from one that was only shown. Only the format `tool` names its calls.",
    "How calls of other tools than `shell` ended, unless with an error. What was rewritten: `/undo` and `/edit` replace the file, and what was left stays in `branches/`, which is not read.",
    "The agent's version, the requests for titles, whether it was the terminal or `-n`, whether another conversation started it. The zone of its times, which are taken for local.",
  ],
  sessionId: (ref) => sessionIdOf(ref.path),
  recognises: (ref) => recognise(ref.path) === "yes",
  discover: discoverGptme,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  tools,
  start: ["gptme", "-n"],
  resume: (_ref, id) => ({ words: ["gptme", "--name", id] }),
};
