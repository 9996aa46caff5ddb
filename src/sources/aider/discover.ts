import { readdirSync, statSync, type Dirent, type Stats } from "node:fs";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import type { DiagnosticCode, DiscoverContext, SourceRef } from "../contract.ts";
import { HISTORY, SOURCE_ID } from "./identity.ts";
import { scanRuns, stampOf, type Run } from "./runs.ts";

/**
 * Aider has no central store: every repository holds its own history. Only the paths the user names, in `roots` or in
 * `DAYBOOK_AIDER_DIRS`, and the projects other agents worked in are searched; a home directory is never searched.
 */
export function placesOf(ctx: DiscoverContext): string[] {
  if (ctx.roots) return [...ctx.roots];
  const listed = ctx.env["DAYBOOK_AIDER_DIRS"] ?? "";
  return listed.split(delimiter).filter((path) => path.trim() !== "");
}

/**
 * Histories in the projects of known sessions: in the directory itself, or in a parent up to the top of its repository.
 */
function knownHistories(ctx: DiscoverContext): string[] {
  const found: string[] = [];
  for (const dir of ctx.roots ? [] : (ctx.worked_in ?? [])) {
    for (let at = resolve(dir); ; at = dirname(at)) {
      const path = join(at, HISTORY);
      if (statOf(path)?.isFile()) found.push(path);
      if (statOf(join(at, ".git")) !== null || dirname(at) === at || !statOf(at)) break;
    }
  }
  return found;
}

/** The runs of every history found, ordered by file and position in it. */
export function* discoverAider(ctx: DiscoverContext): Generator<SourceRef, void, undefined> {
  for (const path of historiesOf(ctx)) {
    const stat = statOf(path);
    if (!stat) continue;
    const known = ctx.known?.(path) ?? [];
    if (isUnchanged(known, stat)) {
      yield* known;
      continue;
    }
    let runs: Run[];
    try {
      runs = scanRuns(path);
    } catch {
      report(ctx, "file_unreadable", path, "the file cannot be opened");
      continue;
    }
    for (const run of runs) {
      yield {
        source: SOURCE_ID,
        path,
        key: run.key,
        size: run.end - run.from.offset,
        mtimeMs: stat.mtimeMs,
        container: "text",
        stamp: stampOf(run),
      };
    }
  }
}

/** True if the known runs cover the whole file, without gaps, and the newest has the file's modification time. */
function isUnchanged(known: readonly SourceRef[], stat: Stats): boolean {
  const size = known.reduce((sum, ref) => sum + ref.size, 0);
  return size === stat.size && size > 0 && Math.max(...known.map((ref) => ref.mtimeMs)) === stat.mtimeMs;
}

/** History files in the named paths: in the directory itself and in its immediate subdirectories. */
export function historiesOf(ctx: DiscoverContext): string[] {
  const found = new Set<string>(knownHistories(ctx));
  for (const place of placesOf(ctx)) {
    const root = resolve(place);
    const stat = statOf(root);
    ctx.looked?.(root);
    if (!stat) report(ctx, "root_missing", root, "there is no such directory or file");
    else if (stat.isFile()) found.add(root);
    else for (const path of inDirectory(root, ctx)) found.add(path);
  }
  return [...found].sort();
}

function inDirectory(root: string, ctx: DiscoverContext): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(root, { withFileTypes: true });
  } catch (error) {
    report(ctx, "root_unreadable", root, error instanceof Error ? error.message : "cannot be listed");
    return [];
  }
  const here = [root, ...entries.filter((entry) => !entry.isFile()).map((entry) => join(root, entry.name))];
  return here
    .filter((directory) => basename(directory) !== ".git")
    .map((directory) => join(directory, HISTORY))
    .filter((path) => statOf(path)?.isFile());
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

function report(ctx: DiscoverContext, code: DiagnosticCode, path: string, message: string): void {
  ctx.report({ code, source: SOURCE_ID, path, message });
}
