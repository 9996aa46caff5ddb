import type { Source, Tools } from "../contract.ts";
import { wholeListTool } from "../kit/tools.ts";
import { SOURCE_ID, discoverLogs, headerOf, sessionIdOf } from "./discover.ts";
import { readSession } from "./read.ts";

/** Tool names used by agents that have no source of their own. */
const tools: Tools = { ask: ["ask_followup_question"], todos: { todo: wholeListTool } };

/** Daybook's own log format: exports, and agents that keep their sessions in it. See FORMAT.md. */
export const log: Source = {
  id: SOURCE_ID,
  name: "Daybook log",
  capabilities: { retentionDays: null },
  checked: { oldest: "schema 1", newest: "schema 1", releases: 1 },
  unknowable: ["What the writer of a log left out of it."],
  sessionId: (ref) => sessionIdOf(ref.path),
  recognises(ref) {
    const header = headerOf(ref.path);
    return header !== null && header !== "unreadable";
  },
  discover: discoverLogs,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  tools,
};
