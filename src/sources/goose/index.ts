import { statSync } from "node:fs";
import type { Source } from "../source.ts";
import { recordAt } from "./database.ts";
import { discoverGoose } from "./discover.ts";
import { legacyId } from "./legacy.ts";
import { SOURCE_ID } from "./native.ts";
import { readSession } from "./read.ts";
import { recognises } from "./sniff.ts";

/** Goose: sessions in a SQLite database, in older releases one JSONL file each. See FORMAT.md. */
export const goose: Source = {
  id: SOURCE_ID,
  name: "Goose",
  capabilities: { provenance: true, usage: "session", retentionDays: null, globalIdentities: true },
  sessionId: (ref) => ref.key ?? legacyId(ref.path),
  recognises,
  discover: discoverGoose,
  fingerprint(ref) {
    if (ref.stamp !== undefined) return ref.stamp;
    try {
      const { size, mtimeMs, ino } = statSync(ref.path);
      return `${size}:${mtimeMs}:${ino}`;
    } catch {
      return "gone";
    }
  },
  read: readSession,
  recordAt: (ref, line) => (ref.container === "sqlite" ? recordAt(ref.path, ref.key ?? "", line) : null),
};
