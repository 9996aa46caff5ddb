import { statSync } from "node:fs";
import type { Source } from "../source.ts";
import { discoverClaude } from "./discover.ts";
import { readFacts } from "./facts.ts";
import { sessionIdFromPath, SOURCE_ID } from "./identity.ts";
import { quickUsage } from "./quick-usage.ts";
import { readSession } from "./read.ts";
import { isClaudeFile } from "./sniff.ts";

export { kindFromPath, sessionIdFromPath } from "./identity.ts";

/** Claude Code: JSONL transcripts under `projects/`, one file per session and per subagent. See FORMAT.md. */
export const claudeCode: Source = {
  id: SOURCE_ID,
  name: "Claude Code",
  capabilities: { provenance: true, usage: "response", retentionDays: 30, globalIdentities: true },
  sessionId: (ref) => sessionIdFromPath(ref.path),
  recognises: (ref) => isClaudeFile(ref.path) === "yes",
  discover: discoverClaude,
  fingerprint(ref) {
    try {
      const { size, mtimeMs, ino } = statSync(ref.path);
      return `${size}:${mtimeMs}:${ino}`;
    } catch {
      return "gone";
    }
  },
  read: readSession,
  quickUsage,
  facts: readFacts,
};
