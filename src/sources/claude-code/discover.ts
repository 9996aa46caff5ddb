import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { DiscoverContext, SourceRef } from "../source.ts";
import { SOURCE_ID } from "./identity.ts";
import { isDirectory, placesOf } from "./places.ts";
import { isClaudeFile } from "./sniff.ts";

/** Never sessions: output side files, and what belongs to other tools when a whole tree is searched. */
const SKIPPED_DIRECTORIES: ReadonlySet<string> = new Set(["tool-results", "node_modules", ".git", "file-history"]);
const SESSION_NAME = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|agent-[\w-]+|journal)\.jsonl$/i;

/** Session files under the roots, ordered by path. */
export function discoverClaude(ctx: DiscoverContext): Iterable<SourceRef> {
  const found = new Map<string, SourceRef>();
  const visited = new Set<string>();
  for (const place of placesOf(ctx)) {
    const root = resolve(place.path);
    const stat = statOf(root);
    ctx.looked?.(root);
    if (!stat) {
      if (place.expected) report(ctx, "root_missing", root, "there is no such directory or file");
    } else if (stat.isFile()) add(found, root, stat);
    else {
      const projects = join(root, "projects");
      const own = basename(root) === "projects";
      const start = !own && isDirectory(projects) ? projects : root;
      walk(start, { ctx, found, visited, trusted: own || start === projects });
    }
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

interface Walk {
  ctx: DiscoverContext;
  found: Map<string, SourceRef>;
  /** Real paths seen: a symbolic link may lead back up. */
  visited: Set<string>;
  /** In Claude's own directory a session's name is proof enough; elsewhere the content is looked at. */
  trusted: boolean;
}

function walk(directory: string, state: Walk): void {
  let entries: Dirent[];
  try {
    const real = realpathSync.native(directory);
    if (state.visited.has(real)) return;
    state.visited.add(real);
    entries = readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    report(state.ctx, "root_unreadable", directory, error instanceof Error ? error.message : "cannot be listed");
    return;
  }
  for (const entry of entries) {
    const path = join(directory, entry.name);
    const stat = entry.isSymbolicLink() ? statOf(path) : entry;
    if (stat?.isDirectory()) {
      if (!SKIPPED_DIRECTORIES.has(entry.name)) walk(path, state);
    } else if (stat?.isFile() && entry.name.endsWith(".jsonl") && entry.name !== "history.jsonl") consider(path, state);
  }
}

function consider(path: string, state: Walk): void {
  const stat = statOf(path);
  if (!stat) return;
  const named = state.trusted && SESSION_NAME.test(basename(path));
  if (named || state.ctx.known?.(path).length) return add(state.found, path, stat);
  const sniffed = isClaudeFile(path);
  if (sniffed === "yes") add(state.found, path, stat);
  else if (sniffed === "unreadable") report(state.ctx, "file_unreadable", path, "the file cannot be opened");
  else report(state.ctx, "file_foreign", path, "not a Claude Code session; another tool wrote it");
}

function add(found: Map<string, SourceRef>, path: string, stat: { size: number; mtimeMs: number }): void {
  found.set(path, { source: SOURCE_ID, path, size: stat.size, mtimeMs: stat.mtimeMs, container: "jsonl" });
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

type Problem = "root_missing" | "root_unreadable" | "file_unreadable" | "file_foreign";

function report(ctx: DiscoverContext, code: Problem, path: string, message: string): void {
  ctx.report({ code, source: SOURCE_ID, path, message });
}
