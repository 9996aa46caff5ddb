import { statSync } from "node:fs";
import type { Source } from "../source.ts";
import { discoverPi } from "./discover.ts";
import { headerOf, sessionIdOf, SOURCE_ID } from "./identity.ts";
import { readSession } from "./read.ts";

/** pi: JSONL files under `sessions/`, one per session, whose records form a tree. See FORMAT.md. */
export const pi: Source = {
  id: SOURCE_ID,
  name: "pi",
  capabilities: { provenance: false, usage: "response", retentionDays: null, globalIdentities: true },
  sessionId: (ref) => sessionIdOf(ref.path),
  recognises(ref) {
    const header = headerOf(ref.path);
    return header !== null && header !== "unreadable";
  },
  discover: discoverPi,
  fingerprint(ref) {
    try {
      const { size, mtimeMs, ino } = statSync(ref.path);
      return `${size}:${mtimeMs}:${ino}`;
    } catch {
      return "gone";
    }
  },
  read: readSession,
};
