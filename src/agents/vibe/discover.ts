/** Where sessions are, how they are told from other files, and what their paths say. */
import { basename, dirname, join } from "node:path";
import type { LogPlaces } from "../kit/log-source.ts";
import { filesIn } from "../kit/session-files.ts";
import { headOf, type SniffResult } from "../kit/sniff.ts";

export const SOURCE_ID = "vibe";

/** The session's title and directory; its path is the session's. */
const FACTS = "meta.json";

const store = join("logs", "session", "unified");

export const LOGS: LogPlaces = {
  source: SOURCE_ID,
  name: "Mistral Vibe",
  home: (env, home) => env["VIBE_HOME"]?.trim() || join(home, ".vibe"),
  stores: [store, join(".vibe", store)],
  suffix: FACTS,
  skipped: ["chunks", "generations", "journal", "plugins"],
  recognise,
  beside: (path) => [
    join(dirname(path), "CURRENT"),
    ...filesIn(join(dirname(path), "journal")).map((name) => join(dirname(path), "journal", name)),
  ],
  sessionId: sessionIdOf,
};

/** Files of this name are nothing special: the pointer beside it names its store. */
function recognise(path: string): SniffResult {
  if (basename(path) !== FACTS) return "no";
  const head = headOf(join(dirname(path), "CURRENT"), 4096);
  return head !== null && /"store_format":\s*"mistral\.vibe\.unified-session-store\//.test(head) ? "yes" : "no";
}

export function sessionIdOf(path: string): string {
  return basename(dirname(path.replaceAll("\\", "/")));
}
