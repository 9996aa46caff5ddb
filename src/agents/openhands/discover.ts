/** Where conversations are, how they are told from other files, and what their paths say. */
import { basename, dirname, join } from "node:path";
import type { SessionRef } from "../../record/record.ts";
import type { DiscoverContext } from "../contract.ts";
import type { LogPlaces } from "../kit/log-source.ts";
import { obj } from "../kit/native.ts";
import { isDirectory } from "../kit/session-files.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";

export const SOURCE_ID = "openhands";

/** Rewritten with every step: settings, and the tokens of every response. Its path is the conversation's. */
export const STATE = "base_state.json";

/** One file for each event. */
export const EVENTS = "events";

export const LOGS: LogPlaces = {
  source: SOURCE_ID,
  name: "OpenHands",
  home: homeOf,
  stores: ["conversations", join(".openhands", "conversations")],
  suffix: STATE,
  // Thousands of files in each conversation that are no conversations.
  skipped: [EVENTS, "observations"],
  recognise,
  beside: (path) => [join(dirname(path), EVENTS)],
  sessionId: sessionIdOf,
};

function homeOf(env: DiscoverContext["env"], home: string): string {
  const data = env["OPENHANDS_PERSISTENCE_DIR"]?.trim() || join(home, ".openhands");
  return env["OPENHANDS_CONVERSATIONS_DIR"]?.trim() || join(data, "conversations");
}

/** Files of this name are nothing special: the events beside it and its first keys tell. */
function recognise(path: string): SniffResult {
  if (basename(path) !== STATE || !isDirectory(join(dirname(path), EVENTS))) return "no";
  return sniff(
    path,
    (record) => obj(record["agent"]) !== null && "workspace" in record,
    // Longer than what is looked at, or pretty-printed.
    (head) => /^\s*\{\s*"id":\s*"[\w-]+",\s*"agent":\s*\{/.test(head),
  );
}

export function sessionIdOf(path: string): string {
  return basename(dirname(path.replaceAll("\\", "/")));
}

/** A sub-agent's conversation is inside that of its parent. */
export function parentOf(path: string): SessionRef | null {
  const parent = /([^\\/]+)[\\/]subagents[\\/][^\\/]+[\\/][^\\/]+$/.exec(path)?.[1];
  return parent === undefined ? null : { source: SOURCE_ID, session_id: parent };
}
