/** Where sessions are, how they are told from other files, and what their paths say. */
import { basename, dirname, join } from "node:path";
import type { LogPlaces } from "../kit/log-source.ts";
import type { Native } from "../kit/native.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";

export const SOURCE_ID = "droid";

export const LOGS: LogPlaces = {
  source: SOURCE_ID,
  name: "Droid",
  home: (env, home) => join(home, ".factory"),
  stores: ["sessions", join(".factory", "sessions")],
  suffix: ".jsonl",
  recognise,
  beside: (path) => [join(dirname(path), settingsOf(path))],
  sessionId: sessionIdOf,
};

/** Claude Code's lines look alike, but have no header. */
function recognise(path: string): SniffResult {
  return sniff(path, isHeader, () => false);
}

function isHeader({ type, id, hostId, owner, cwd }: Native): boolean {
  return (
    type === "session_start" && typeof id === "string" && typeof cwd === "string" && (hostId ?? owner) !== undefined
  );
}

export function sessionIdOf(path: string): string {
  return basename(path.replaceAll("\\", "/")).replace(/\.jsonl$/i, "");
}

/** The session's settings and totals, beside its messages. */
export function settingsOf(path: string): string {
  return `${sessionIdOf(path)}.settings.json`;
}
