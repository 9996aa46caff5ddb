import { basename, join } from "node:path";
import { findSessionFiles, isDirectory, fileNameOf, type FileVerdict, type WalkStart } from "../kit/session-files.ts";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { SOURCE_ID } from "./identity.ts";
import { placesOf } from "./places.ts";
import { isClaudeFile } from "./sniff.ts";

/**
 * Directories without sessions: side files of outputs, and directories of other tools when a whole tree is searched.
 */
const SKIPPED: ReadonlySet<string> = new Set(["tool-results", "node_modules", ".git", "file-history"]);
const SESSION_NAME = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|agent-[\w-]+|journal)\.jsonl$/i;

export function discoverClaude(ctx: DiscoverContext): Iterable<SourceRef> {
  return findSessionFiles(ctx, {
    source: SOURCE_ID,
    name: "Claude Code",
    places: placesOf(ctx),
    skipped: SKIPPED,
    starts: (root) => [startOf(root)],
    titles: "custom-title.json",
    judge,
  });
}

function startOf(root: string): WalkStart {
  const own = basename(root) === "projects";
  const projects = join(root, "projects");
  if (!own && isDirectory(projects)) return { path: projects, trusted: true };
  return { path: root, trusted: own };
}

function judge(path: string, trusted: boolean, known: boolean): FileVerdict {
  const name = fileNameOf(path);
  if (!name.endsWith(".jsonl") || name === "history.jsonl") return "ignored";
  return known || (trusted && SESSION_NAME.test(name)) ? "yes" : isClaudeFile(path);
}
