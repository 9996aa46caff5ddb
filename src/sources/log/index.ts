import type { Source } from "../contract.ts";
import { discoverLogs } from "./discover.ts";
import { headerOf, sessionIdOf, SOURCE_ID } from "./identity.ts";
import { readSession } from "./read.ts";
import { tools } from "./tools.ts";

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
