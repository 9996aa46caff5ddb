/** Where sessions are, and how they are told from other files. */
import { basename, dirname, join } from "node:path";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { parseJson } from "../../base/io/json.ts";
import { readText } from "../../base/io/regular-file.ts";
import { objects } from "../kit/native.ts";
import { findLogs, type FileVerdict } from "../kit/session-files.ts";
import { headOf } from "../kit/sniff.ts";

export const SOURCE_ID = "continue";

/** The list of all sessions: the only place that knows when one began. */
const LIST = "sessions.json";

export function discoverContinue(ctx: DiscoverContext): Iterable<SourceRef> {
  return findLogs(ctx, {
    source: SOURCE_ID,
    name: "Continue",
    home: ctx.env["CONTINUE_GLOBAL_DIR"]?.trim() || join(ctx.home, ".continue"),
    stores: ["sessions", join(".continue", "sessions")],
    suffix: ".json",
    recognise,
  });
}

/** One document; what it says of itself comes before the messages, and each message has `contextItems`. */
export function recognise(path: string): FileVerdict {
  if (basename(path) === LIST) return "ignored";
  const head = headOf(path);
  if (head === null) return "unreadable";
  const isOurs = /^\s*\{/.test(head) && /"sessionId":/.test(head) && /"workspaceDirectory":/.test(head);
  return isOurs && /"history":\s*\[/.test(head) ? "yes" : "no";
}

export function sessionIdOf(path: string): string {
  return basename(path.replaceAll("\\", "/")).replace(/\.json$/i, "");
}

/** When the session began: epoch ms, written as text. Null if the list does not name it. */
export function createdAt(path: string): number | null {
  let list: unknown;
  try {
    list = parseJson(readText(join(dirname(path), LIST)));
  } catch {
    return null;
  }
  const found = objects(list).find(({ sessionId }) => sessionId === sessionIdOf(path));
  const time = Number(found?.["dateCreated"] ?? Number.NaN);
  return Number.isFinite(time) ? time : null;
}
