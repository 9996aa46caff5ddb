import { basename, join } from "node:path";
import {
  findSessionFiles,
  isDirectory,
  statOf,
  type FileVerdict,
  type SearchPlace,
  type WalkStart,
} from "../kit/session-files.ts";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { SOURCE_ID } from "./identity.ts";
import { isCopilotFile } from "./sniff.ts";

/** Working directories of the agent inside a session's directory: they hold its work, not its records. */
const SKIPPED: ReadonlySet<string> = new Set([
  "checkpoints",
  "files",
  "research",
  "rewind-file-snapshots",
  "node_modules",
  ".git",
]);

/** Copilot CLI keeps its state in `.copilot` in the home directory, or in `COPILOT_HOME`. */
export function placesOf(ctx: DiscoverContext): SearchPlace[] {
  if (ctx.roots) return ctx.roots.map((path) => ({ path, expected: true }));
  const configured = ctx.env["COPILOT_HOME"]?.trim();
  return [{ path: configured || join(ctx.home, ".copilot"), expected: true }];
}

/** The directories to search: those of the store if the root is a home or a store, otherwise the root itself. */
export function startsOf(root: string): WalkStart[] {
  for (const store of [root, join(root, ".copilot")]) {
    const own = ["session-state", "history-session-state"].map((name) => join(store, name)).filter(isDirectory);
    if (own.length > 0) return own.map((path) => ({ path, trusted: true }));
  }
  return [{ path: root, trusted: /^(?:history-)?session-state$/.test(basename(root)) }];
}

export function discoverCopilot(ctx: DiscoverContext): Iterable<SourceRef> {
  return findSessionFiles(ctx, {
    source: SOURCE_ID,
    name: "Copilot CLI",
    places: placesOf(ctx),
    starts: startsOf,
    skipped: SKIPPED,
    titles: "workspace.yaml",
    judge,
  });
}

function judge(path: string, trusted: boolean, known: boolean): FileVerdict {
  const name = basename(path);
  const lines = /\.jsonl$/i.test(name);
  // Unrelated JSON files are common; documents of the first versions have their own directory and name.
  if (!lines && !/history-session-state/.test(path) && !/^session_.+\.json$/i.test(name)) return "ignored";
  // A session that moved from a single file into a directory is read there.
  if (lines && name !== "events.jsonl" && statOf(join(path.replace(/\.jsonl$/i, ""), "events.jsonl"))) return "ignored";
  return known || (trusted && name === "events.jsonl") ? "yes" : isCopilotFile(path);
}
