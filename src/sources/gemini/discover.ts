import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { DiscoverContext, SourceRef } from "../source.ts";
import { SOURCE_ID } from "./identity.ts";
import { isGeminiFile } from "./sniff.ts";

const SKIPPED: ReadonlySet<string> = new Set([
  "tool-outputs",
  "tool_output",
  "checkpoints",
  "history",
  "node_modules",
  ".git",
]);

interface Place {
  path: string;
  /** Whether its absence is worth telling. */
  expected: boolean;
}

/** Gemini CLI keeps everything in `.gemini` of the home directory, which `GEMINI_CLI_HOME` replaces. */
export function placesOf(ctx: DiscoverContext): Place[] {
  if (ctx.roots) return ctx.roots.map((path) => ({ path, expected: true }));
  const home = ctx.env["GEMINI_CLI_HOME"]?.trim();
  return [{ path: join(home || ctx.home, ".gemini"), expected: true }];
}

/** The directory to search: the store's `tmp` where the root is a home or a store, else the root itself. */
export function startOf(root: string): { path: string; trusted: boolean } {
  for (const inner of [join(root, "tmp"), join(root, ".gemini", "tmp")]) {
    if (statOf(inner)?.isDirectory()) return { path: inner, trusted: true };
  }
  return { path: root, trusted: basename(root) === "chats" || basename(dirname(root)) === "tmp" };
}

/** Session files under the roots, ordered by path. */
export function discoverGemini(ctx: DiscoverContext): Iterable<SourceRef> {
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
  /** In Gemini CLI's own directories a session's name and place are proof enough; elsewhere the content is looked at. */
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
    } else if (stat?.isFile() && /\.jsonl?$/i.test(entry.name)) consider(path, state);
  }
}

function consider(path: string, state: Walk): void {
  const name = basename(path);
  const session = /^session-.+\.jsonl?$/i.test(name);
  const inChats = /[\\/]chats[\\/]/.test(path);
  const lines = /\.jsonl$/i.test(name);
  // Documents of subagents (0.38) lie in a directory of their parent's name.
  const nested = /[\\/]chats[\\/][^\\/]+[\\/][^\\/]+$/.test(path);
  // The store holds many JSON files that were never meant to be sessions: settings, checkpoints, input logs.
  if (!lines && !session && !nested) return;
  if (state.trusted && !inChats) return;
  const stat = statOf(path);
  if (!stat) return;
  if ((state.trusted && session) || state.ctx.known?.(path).length) return add(state.found, path, stat);
  const sniffed = isGeminiFile(path);
  if (sniffed === "yes") add(state.found, path, stat);
  else if (sniffed === "unreadable") report(state.ctx, "file_unreadable", path, "the file cannot be opened");
  else report(state.ctx, "file_foreign", path, "not a Gemini CLI session; another tool wrote it");
}

function add(found: Map<string, SourceRef>, path: string, stat: { size: number; mtimeMs: number }): void {
  const container = /\.json$/i.test(path) ? "json" : "jsonl";
  found.set(path, { source: SOURCE_ID, path, size: stat.size, mtimeMs: stat.mtimeMs, container });
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
