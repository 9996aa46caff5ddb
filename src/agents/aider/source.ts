import type { Source } from "../contract.ts";
import { discoverAider, readFacts } from "./discover.ts";
import { SOURCE_ID, scanRuns, sessionIdOf } from "./native.ts";
import { readRun } from "./read.ts";

/** Aider: one Markdown history per repository, many runs in it. See FORMAT.md. */
export const aider: Source = {
  id: SOURCE_ID,
  name: "Aider",
  capabilities: { retentionDays: null, alwaysAsks: true },
  checked: { oldest: "0.48", newest: "0.48", releases: 1 },
  unknowable: [
    "Times. Only the start of a run has one, in local time without a zone (this machine's is taken). A prompt has a time when the input history has its text; replies and usage have none.",
    "Exact tokens from 1,000 on, and which numbers are Aider's own estimates. Commit messages and summaries by the weak model are never reported.",
    "Exit codes. `ok` means that it was done, not that it succeeded.",
    "Who wrote what when two Aiders ran in one repository: their lines interleave.",
  ],
  sessionId: (ref) => sessionIdOf(ref),
  recognises(ref) {
    try {
      return scanRuns(ref.path).some((run) => run.header !== null);
    } catch {
      return false;
    }
  },
  discover: discoverAider,
  read: (ref, cursor, ctx) => readRun(ref, cursor, ctx),
  start: ["aider", "-m"],
  resume: () => ({
    words: ["aider", "--restore-chat-history"],
    note: "Aider knows no sessions: it takes up the whole history of the directory",
  }),
  facts: (ctx) => readFacts(ctx),
};
