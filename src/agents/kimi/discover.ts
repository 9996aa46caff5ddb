/** Where sessions are, how they are told from other files, and what their paths say. */
import { basename, dirname, join } from "node:path";
import type { DiscoverContext } from "../contract.ts";
import type { LogPlaces } from "../kit/log-source.ts";
import type { Native } from "../kit/native.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";

export const SOURCE_ID = "kimi";

/** The state of the session, relative to the log of each of its agents. */
export const STATE_FILE: string = join("..", "..", "state.json");

export function kimiHome(env: DiscoverContext["env"], home: string): string {
  return env["KIMI_CODE_HOME"]?.trim() || join(home, ".kimi-code");
}

export const LOGS: LogPlaces = {
  source: SOURCE_ID,
  name: "Kimi Code",
  home: kimiHome,
  stores: ["sessions", join(".kimi-code", "sessions")],
  suffix: "wire.jsonl",
  skipped: ["file-history", "logs", "blobs", "user-history"],
  recognise,
  beside: (path) => [join(dirname(path), STATE_FILE)],
  sessionId: sessionIdOf,
};

/** Kimi CLI, the predecessor, begins its `wire.jsonl` without a time. */
function recognise(path: string): SniffResult {
  return sniff(path, isHeader, () => false);
}

function isHeader({ type, protocol_version, created_at }: Native): boolean {
  return type === "metadata" && typeof protocol_version === "string" && typeof created_at === "number";
}

/** `<session>/agents/<agent>/wire.jsonl`; the first agent is called `main`. */
export function placeOf(path: string): { session: string; agent: string | null } {
  const directory = dirname(path.replaceAll("\\", "/"));
  const [, session, agent] = /([^/]+)\/agents\/([^/]+)$/.exec(directory) ?? [];
  return { session: session ?? basename(directory), agent: agent === undefined || agent === "main" ? null : agent };
}

export function sessionIdOf(path: string): string {
  const { session, agent } = placeOf(path);
  return agent === null ? session : agentSession(session, agent);
}

/** The ids of sub-agents are only unique within their session. */
export function agentSession(session: string, agent: string): string {
  return agent === "main" ? session : `${session}__${agent}`;
}
