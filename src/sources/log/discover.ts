import { delimiter, join } from "node:path";
import { daybookHome } from "../../home.ts";
import { findSessionFiles, type Judgement } from "../kit/session-files.ts";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { headerOf, SOURCE_ID } from "./identity.ts";

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", "attachments"]);

/**
 * `$DAYBOOK_LOGS` names directories; without it the one beside the book is looked at. Exports are read only where a root names
 * them: elsewhere the sessions they were made of are read too, and everything in them would count twice.
 */
export function discoverLogs(ctx: DiscoverContext): Iterable<SourceRef> {
  const named = ctx.env["DAYBOOK_LOGS"]?.split(delimiter).filter((path) => path.trim() !== "");
  const own = join(daybookHome(ctx.env, process.platform, ctx.home), "logs");
  const expected = ctx.roots ?? named;
  return findSessionFiles(ctx, {
    ...{ source: SOURCE_ID, name: "Daybook log", skipped: SKIPPED },
    places: (expected ?? [own]).map((path) => ({ path, expected: expected !== undefined })),
    starts: (root) => [{ path: root, trusted: false }],
    judge: (path, _trusted, known) => judge(path, known, ctx),
  });
}

function judge(path: string, known: boolean, ctx: DiscoverContext): Judgement {
  if (!path.endsWith(".jsonl")) return "ignored";
  if (known && ctx.roots !== null) return "yes";
  const header = headerOf(path);
  if (header === "unreadable") return "unreadable";
  if (header === null) return "no";
  if (ctx.roots !== null || !header.isCopy) return "yes";
  const message = "made of another agent's session, which would count twice";
  ctx.report({ code: "file_foreign", source: SOURCE_ID, path, message, hint: `--root log=${path} reads it alone` });
  return "ignored";
}
