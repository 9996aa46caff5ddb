import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { DiscoverContext, SourceRef } from "../source.ts";
import { SOURCE_ID } from "./identity.ts";
import { isQwenFile } from "./sniff.ts";

const SKIPPED: ReadonlySet<string> = new Set(["memory", "tool-results", "file-history", "node_modules", ".git"]);
const TRANSCRIPT = /[\\/](?:chats|subagents)[\\/]/;

interface Place {
  path: string;
  /** Whether its absence is worth telling. */
  expected: boolean;
}

/** Qwen Code keeps transcripts in `.qwen` of the home directory; two variables move it, the one for run-time data first. */
function placesOf(ctx: DiscoverContext): Place[] {
  if (ctx.roots) return ctx.roots.map((path) => ({ path, expected: true }));
  const configured = ctx.env["QWEN_RUNTIME_DIR"]?.trim() || ctx.env["QWEN_HOME"]?.trim();
  return [{ path: configured || join(ctx.home, ".qwen"), expected: true }];
}

/** The directory to search: the store's `projects` where the root is a home or a store, else the root itself. */
function startOf(root: string): { path: string; trusted: boolean } {
  for (const inner of [join(root, "projects"), join(root, ".qwen", "projects")]) {
    if (statOf(inner)?.isDirectory()) return { path: inner, trusted: true };
  }
  const name = basename(root);
  return { path: root, trusted: name === "projects" || name === "chats" || name === "subagents" };
}

/** Session files under the roots, ordered by path. */
export function discoverQwen(ctx: DiscoverContext): Iterable<SourceRef> {
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
      const { path, trusted } = startOf(root);
      walk(path, { ctx, found, visited, trusted });
    }
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

interface Walk {
  ctx: DiscoverContext;
  found: Map<string, SourceRef>;
  /** Real paths seen: a symbolic link may lead back up. */
  visited: Set<string>;
  /** In Qwen Code's own directories the place is proof enough; elsewhere the content is looked at. */
  trusted: boolean;
}

function walk(directory: string, state: Walk): void {
  let entries: Dirent[];
  try {
    const real = realpathSync(directory);
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
      if (!SKIPPED.has(entry.name)) walk(path, state);
    } else if (stat?.isFile() && /\.jsonl$/i.test(entry.name)) consider(path, state);
  }
}

function consider(path: string, state: Walk): void {
  const stat = statOf(path);
  if (!stat) return;
  const trusted = (state.trusted && TRANSCRIPT.test(path)) || state.ctx.known?.(path).length;
  const sniffed = trusted ? "yes" : isQwenFile(path);
  if (sniffed === "yes") add(state.found, path, stat);
  else if (sniffed === "unreadable") report(state.ctx, "file_unreadable", path, "the file cannot be opened");
  else report(state.ctx, "file_foreign", path, "not a Qwen Code session; another tool wrote it");
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
