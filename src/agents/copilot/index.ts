import type { Source } from "../contract.ts";
import { discoverCopilot } from "./discover.ts";
import { readFacts } from "./facts.ts";
import { sessionIdFromPath, SOURCE_ID } from "./identity.ts";
import { mcp } from "./mcp.ts";
import { readSession } from "./read.ts";
import { isCopilotFile } from "./sniff.ts";
import { tools } from "./tools.ts";

/** GitHub Copilot CLI: one event log per session under `session-state/`, including its subagents. See FORMAT.md. */
export const copilot: Source = {
  id: SOURCE_ID,
  name: "GitHub Copilot CLI",
  capabilities: { retentionDays: null, globalIdentities: true },
  checked: { oldest: "1.0.12", newest: "1.0.102", releases: 3 },
  unknowable: [
    "Earlier titles: the last one replaces them. What a rewind took back: the file is rewritten.",
    "Retried requests, and a stream cut by an interrupt: neither words nor usage.",
    "In old versions, which turn the input tokens belong to: only the session's end states them; a killed session has output only.",
  ],
  sessionId: (ref) => sessionIdFromPath(ref.path),
  recognises: (ref) => isCopilotFile(ref.path) === "yes",
  discover: discoverCopilot,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  start: ["copilot", "-p"],
  resume: (_ref, id) => ({ words: ["copilot", `--resume=${id}`] }),
  facts: (ctx) => readFacts(ctx),
  mcp: () => mcp,
  tools,
};
