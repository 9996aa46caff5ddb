import type { Source } from "../contract.ts";
import { discoverPi } from "./discover.ts";
import { headerOf, sessionIdOf, SOURCE_ID } from "./identity.ts";
import { readSession } from "./read.ts";
import { tools } from "./tools.ts";

/** pi: JSONL files under `sessions/`, one per session, whose records form a tree. See FORMAT.md. */
export const pi: Source = {
  id: SOURCE_ID,
  name: "pi",
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
  sessionId: (ref) => sessionIdOf(ref.path),
  recognises(ref) {
    const header = headerOf(ref.path);
    return header !== null && header !== "unreadable";
  },
  discover: discoverPi,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  tools,
  start: ["pi", "-p"],
  resume: (_ref, id) => ({ words: ["pi", "--session", id] }),
};
