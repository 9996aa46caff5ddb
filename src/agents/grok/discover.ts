/** Where sessions are, how they are told from other files, and what their paths say. */
import { basename, dirname, join } from "node:path";
import type { DiscoverContext } from "../contract.ts";
import type { LogPlaces } from "../kit/log-source.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";

export const SOURCE_ID = "grok";

const LOG = "updates.jsonl";

/** Facts of the session, rewritten with every turn. */
export const SUMMARY = "summary.json";

export function grokHome(env: DiscoverContext["env"], home: string): string {
  return env["GROK_HOME"]?.trim() || join(home, ".grok");
}

export const LOGS: LogPlaces = {
  source: SOURCE_ID,
  name: "Grok Build",
  home: grokHome,
  stores: ["sessions", join(".grok", "sessions")],
  suffix: LOG,
  skipped: ["subagents", "terminal", "compaction_checkpoints", "mcp", "goal"],
  recognise,
  beside: (path) => [join(dirname(path), SUMMARY)],
  sessionId: sessionIdOf,
};

function recognise(path: string): SniffResult {
  if (basename(path) !== LOG) return "no";
  // The first prompt may be longer than what is looked at.
  return sniff(path, isUpdate, (head) => /^\{"timestamp":\d+,"method":"(?:_x\.ai\/)?session\/update"/.test(head));
}

function isUpdate({ method, params }: Native): boolean {
  const isNamed = method === "session/update" || method === "_x.ai/session/update";
  return isNamed && str(obj(params)?.["sessionId"]) !== null && obj(obj(params)?.["update"]) !== null;
}

export function sessionIdOf(path: string): string {
  return basename(dirname(path.replaceAll("\\", "/")));
}
