import type { Source } from "../contract.ts";
import { discoverGemini } from "./discover.ts";
import { readFacts } from "./facts.ts";
import { sessionIdFromPath, SOURCE_ID } from "./identity.ts";
import { mcp } from "./mcp.ts";
import { readSession } from "./read.ts";
import { isGeminiFile } from "./sniff.ts";
import { tools } from "./tools.ts";

/** Gemini CLI: one file per session under `tmp/<project>/chats`, JSON lines or, in older versions, one document. See FORMAT.md. */
export const gemini: Source = {
  id: SOURCE_ID,
  name: "Gemini CLI",
  capabilities: {
    shellVariables: ["GEMINI_CLI"],
    retentionDays: 30,
    globalIdentities: true,
    commandsAsText: true,
  },
  checked: { oldest: "0.24.0", newest: "0.61.0", releases: 3, marked: null },
  unknowable: [
    "A running call: it is written when it has ended. After a kill the file ends with the words before it, and the turn looks answered.",
    "Interrupts while the model speaks, API errors, retries: nothing is written; a refused request removed the whole file.",
    "The agent's version, how long a call took, whether it was the terminal or `-p`. That `/compress` was typed.",
    "In 0.24: the tokens of a response that only called tools. Its calls are added to the message before.",
    "Sessions the agent deleted (after 30 days by default; two of the genuine ones vanished for reasons unknown).",
  ],
  sessionId: (ref) => sessionIdFromPath(ref.path),
  recognises: (ref) => isGeminiFile(ref.path) === "yes",
  discover: discoverGemini,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  start: ["gemini", "-p"],
  resume: (_ref, id) => ({ words: ["gemini", "--resume", id] }),
  facts: (ctx) => readFacts(ctx),
  mcp: () => mcp,
  tools,
};
