import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { DiscoverContext, SourceRef } from "../source.ts";
import { SOURCE_ID } from "./identity.ts";
import { isCopilotFile } from "./sniff.ts";

/** Scratch areas of the agent inside a session's directory: what lies there is its work, not its record. */
const SKIPPED: ReadonlySet<string> = new Set([
  "checkpoints",
  "files",
  "research",
  "rewind-file-snapshots",
  "node_modules",
  ".git",
]);

interface Place {
  path: string;
  /** Whether its absence is worth telling. */
  expected: boolean;
}

/** Copilot CLI keeps its state in `.copilot` of the home directory, which `COPILOT_HOME` replaces. */
export function placesOf(ctx: DiscoverContext): Place[] {
  if (ctx.roots) return ctx.roots.map((path) => ({ path, expected: true }));
  const configured = ctx.env["COPILOT_HOME"]?.trim();
  return [{ path: configured || join(ctx.home, ".copilot"), expected: true }];
}

/** The directories to search: the store's own where the root is a home or a store, else the root itself. */
export function startsOf(root: string): { path: string; trusted: boolean }[] {
  for (const store of [root, join(root, ".copilot")]) {
    const own = ["session-state", "history-session-state"].map((name) => join(store, name));
    const there = own.filter((path) => statOf(path)?.isDirectory());
    if (there.length > 0) return there.map((path) => ({ path, trusted: true }));
  }
  return [{ path: root, trusted: /^(?:history-)?session-state$/.test(basename(root)) }];
}

/** Session files under the roots, ordered by path. */
export function discoverCopilot(ctx: DiscoverContext): Iterable<SourceRef> {
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
      for (const { path, trusted } of startsOf(root)) walk(path, { ctx, found, visited, trusted });
    }
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

interface Walk {
  ctx: DiscoverContext;
  found: Map<string, SourceRef>;
  /** Real paths seen: a symbolic link may lead back up. */
  visited: Set<string>;
  /** In Copilot CLI's own directories the place is proof enough; elsewhere the content is looked at. */
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
  const lines = /\.jsonl$/i.test(name);
  // Other JSON files lie about everywhere; the documents of the first versions have a directory and a name of their own.
  if (!lines && !/history-session-state/.test(path) && !/^session_.+\.json$/i.test(name)) return;
  const stat = statOf(path);
  if (!stat) return;
  // A session that moved from a file of its own into a directory is read there.
  if (lines && name !== "events.jsonl" && statOf(join(path.replace(/\.jsonl$/i, ""), "events.jsonl"))) return;
  const trusted = (state.trusted && name === "events.jsonl") || state.ctx.known?.(path).length;
  const sniffed = trusted ? "yes" : isCopilotFile(path);
  if (sniffed === "yes") add(state.found, path, stat);
  else if (sniffed === "unreadable") report(state.ctx, "file_unreadable", path, "the file cannot be opened");
  else report(state.ctx, "file_foreign", path, "not a Copilot CLI session; another tool wrote it");
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
