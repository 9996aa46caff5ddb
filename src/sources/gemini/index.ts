import { statSync } from "node:fs";
import type { Source } from "../source.ts";
import { discoverGemini } from "./discover.ts";
import { readFacts } from "./facts.ts";
import { sessionIdFromPath, SOURCE_ID } from "./identity.ts";
import { readSession } from "./read.ts";
import { isGeminiFile } from "./sniff.ts";

/** Gemini CLI: one file per session under `tmp/<project>/chats`, JSON lines or, in older versions, one document. See FORMAT.md. */
export const gemini: Source = {
  id: SOURCE_ID,
  name: "Gemini CLI",
  capabilities: { provenance: false, usage: "response", retentionDays: 30, globalIdentities: true },
  sessionId: (ref) => sessionIdFromPath(ref.path),
  recognises: (ref) => isGeminiFile(ref.path) === "yes",
  discover: discoverGemini,
  fingerprint(ref) {
    try {
      const { size, mtimeMs, ino } = statSync(ref.path);
      return `${size}:${mtimeMs}:${ino}`;
    } catch {
      return "gone";
    }
  },
  read: readSession,
  facts: readFacts,
};
