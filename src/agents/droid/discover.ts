/** Where sessions are, how they are told from other files, and what their paths say. */
import { basename, dirname, join } from "node:path";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import type { Native } from "../kit/native.ts";
import { findLogs } from "../kit/session-files.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";

export const SOURCE_ID = "droid";

export function discoverDroid(ctx: DiscoverContext): Iterable<SourceRef> {
  return findLogs(ctx, {
    source: SOURCE_ID,
    name: "Droid",
    home: join(ctx.home, ".factory"),
    stores: ["sessions", join(".factory", "sessions")],
    suffix: ".jsonl",
    recognise,
    beside: (path) => [join(dirname(path), settingsOf(path))],
  });
}

/** Claude Code's lines look alike, but have no header. */
export function recognise(path: string): SniffResult {
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
