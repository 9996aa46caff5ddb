import { statSync } from "node:fs";
import type { Source } from "../source.ts";
import { discoverAider } from "./discover.ts";
import { readFacts } from "./facts.ts";
import { sessionIdOf, SOURCE_ID } from "./identity.ts";
import { readRun } from "./read.ts";
import { scanRuns } from "./runs.ts";

/** Aider: one Markdown history per repository, many runs in it. See FORMAT.md. */
export const aider: Source = {
  id: SOURCE_ID,
  name: "Aider",
  capabilities: { provenance: false, usage: "response", retentionDays: null },
  sessionId: sessionIdOf,
  recognises(ref) {
    try {
      return scanRuns(ref.path).some((run) => run.header !== null);
    } catch {
      return false;
    }
  },
  discover: discoverAider,
  // Discovery measures every run anyway; the file's own size and time would make all its runs look changed.
  fingerprint(ref) {
    if (ref.stamp !== undefined) return ref.stamp;
    try {
      const { size, mtimeMs, ino } = statSync(ref.path);
      return `${size}:${mtimeMs}:${ino}`;
    } catch {
      return "gone";
    }
  },
  read: readRun,
  facts: readFacts,
};
