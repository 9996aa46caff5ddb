import { join } from "node:path";
import { findSessionFiles, isDirectory, type FileVerdict } from "../kit/session-files.ts";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { headerOf, SOURCE_ID } from "./identity.ts";

/** Where sessions are inside a directory the user may name: pi's home, its agent directory, or a copy of either. */
const STORES = ["sessions", join("agent", "sessions"), join(".pi", "agent", "sessions")];
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git"]);

export function discoverPi(ctx: DiscoverContext): Iterable<SourceRef> {
  return findSessionFiles(ctx, {
    source: SOURCE_ID,
    name: "pi",
    skipped: SKIPPED,
    places: (ctx.roots ?? [homeOf(ctx)]).map((path) => ({ path, expected: true })),
    starts: (root) => [{ path: STORES.map((name) => join(root, name)).find(isDirectory) ?? root, trusted: false }],
    judge,
  });
}

/** pi's own variables, in pi's order of precedence. */
function homeOf(ctx: DiscoverContext): string {
  const sessions = ctx.env["PI_CODING_AGENT_SESSION_DIR"]?.trim();
  if (sessions) return sessions;
  const agent = ctx.env["PI_CODING_AGENT_DIR"]?.trim() || join(ctx.home, ".pi", "agent");
  return join(agent, "sessions");
}

/** Extensions keep `.jsonl` files of their own beside the sessions, so the content is checked. */
function judge(path: string, _trusted: boolean, known: boolean): FileVerdict {
  if (!path.endsWith(".jsonl")) return "ignored";
  if (known) return "yes";
  const header = headerOf(path);
  return header === "unreadable" ? "unreadable" : header === null ? "no" : "yes";
}
