/** Where conversations are, and how they are told from other files. */
import { basename, dirname, join } from "node:path";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { findLogs } from "../kit/session-files.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";

export const SOURCE_ID = "gptme";

const LOG = "conversation.jsonl";

export function discoverGptme(ctx: DiscoverContext): Iterable<SourceRef> {
  const data = ctx.env["XDG_DATA_HOME"]?.trim() || join(ctx.home, ".local", "share");
  return findLogs(ctx, {
    source: SOURCE_ID,
    name: "gptme",
    home: ctx.env["GPTME_LOGS_HOME"]?.trim() || join(data, "gptme", "logs"),
    stores: ["logs", join("gptme", "logs")],
    suffix: LOG,
    // Branches that were left, and copies of files.
    skipped: ["branches", "files"],
    recognise,
  });
}

const ROLES: ReadonlySet<unknown> = new Set(["system", "user", "assistant"]);

/** Nothing in a file names the agent: its name and the shape of its first message tell. */
export function recognise(path: string): SniffResult {
  if (basename(path) !== LOG) return "no";
  return sniff(
    path,
    ({ role, content, timestamp, ...rest }) =>
      ROLES.has(role) && typeof content === "string" && typeof timestamp === "string" && !("type" in rest),
    // The prompt of the system alone is longer than what is looked at.
    (head) => /^\{\s*"role": "system",\s*"content": "You are (?:\w+, powered by )?gptme\b/i.test(head),
  );
}

/** The name of its directory. */
export function sessionIdOf(path: string): string {
  return basename(dirname(path.replaceAll("\\", "/")));
}
