import type { Source } from "../contract.ts";
import { discoverTasks, recognise, sessionIdOf, SOURCE_ID } from "./discover.ts";
import { readSession, recordAt } from "./read.ts";

/** Tasks of Cline before version 3, of Roo Code and of Kilo before version 7: what the human saw of each. See FORMAT.md. */
export const clineTasks: Source = {
  id: SOURCE_ID,
  name: "Cline, Roo Code, Kilo (tasks)",
  capabilities: { retentionDays: null },
  checked: null,
  unknowable: [
    "How a call ended: only what the model was told next says so, and that file is shortened when the context is full; it is not read. Exit codes.",
    "Who approved a call. Which model answered, in Roo Code. What was taken back when a checkpoint was restored.",
    "What an extension kept in a directory of its own that its settings name.",
  ],
  sessionId: (ref) => sessionIdOf(ref.path),
  recognises: (ref) => recognise(ref.path) === "yes",
  discover: discoverTasks,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, line) => recordAt(ref, line),
  tools: { ask: ["ask_followup_question"] },
};
