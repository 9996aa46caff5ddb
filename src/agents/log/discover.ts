/** Where logs are, and how they are recognised. */
import { delimiter, join } from "node:path";
import { HEADER_BYTES, headerIn, type LogHeader } from "../../record/header.ts";
import { idOfLogPath } from "../../record/log-path.ts";
import { daybookHome, valueIn } from "../../base/home.ts";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { findSessionFiles, type FileVerdict } from "../kit/session-files.ts";
import { headOf } from "../kit/sniff.ts";

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", "attachments"]);

/** `$DAYBOOK_LOGS` names directories; the default is the one beside the book. */
export function discoverLogs(ctx: DiscoverContext): Iterable<SourceRef> {
  const named = valueIn(ctx.env, "DAYBOOK_LOGS")
    ?.split(delimiter)
    .filter((path) => path.trim() !== "");
  const expected = ctx.roots ?? named;
  return findSessionFiles(ctx, {
    source: SOURCE_ID,
    name: "Daybook log",
    skipped: SKIPPED,
    places: (expected ?? [ownPlace(ctx)]).map((path) => ({ path, expected: expected !== undefined })),
    starts: (root) => [{ path: root, trusted: false }],
    judge: (path, _trusted, known) => judge(path, known),
  });
}

function ownPlace({ env, home }: DiscoverContext): string {
  return join(daybookHome(env, process.platform, home), "logs");
}

function judge(path: string, known: boolean): FileVerdict {
  if (!path.endsWith(".jsonl")) return "ignored";
  if (known) return "yes";
  const header = headerOf(path);
  if (header === "unreadable") return "unreadable";
  return header === null ? "no" : "yes";
}

export const SOURCE_ID = "log";

/** The header of a log; null if the file is not a log. */
export function headerOf(path: string): LogHeader | "unreadable" | null {
  const head = headOf(path, HEADER_BYTES);
  return head === null ? "unreadable" : headerIn(head);
}

/** The id from the header, or the file's name if the header cannot be read. */
export function sessionIdOf(path: string): string {
  const header = headerOf(path);
  return header === null || header === "unreadable" ? idOfLogPath(path) : header.session_id;
}
