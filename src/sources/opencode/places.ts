import { statSync, type Stats } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { DiscoverContext, ResumeRefusal, ResumeWay, SourceRef } from "../contract.ts";

/** A location to search for sessions. */
export interface Place {
  path: string;
  /** Named by a human or by the agent's own variable: its absence is reported. */
  expected: boolean;
}

export function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

export function isDirectory(path: string): boolean {
  return statOf(path)?.isDirectory() ?? false;
}

/**
 * OpenCode's own locations (`core/src/global.ts`, `core/src/database/database.ts`), or the roots the user named
 * instead.
 */
export function placesOf(ctx: DiscoverContext): Place[] {
  if (ctx.roots) return ctx.roots.map((path) => ({ path, expected: true }));
  const data = join(ctx.env["XDG_DATA_HOME"]?.trim() || join(ctx.home, ".local", "share"), "opencode");
  const places: Place[] = [{ path: data, expected: true }];
  const named = ctx.env["OPENCODE_DB"]?.trim();
  if (named && named !== ":memory:")
    places.push({ path: isAbsolute(named) ? named : join(data, named), expected: true });
  // The first OpenCode kept its database in the project.
  for (const directory of new Set([ctx.home, ...(ctx.worked_in ?? [])])) {
    const path = join(directory, ".opencode", "opencode.db");
    if (statOf(path)?.isFile()) places.push({ path, expected: false });
  }
  return places;
}

/** The first OpenCode kept its database in the project; later ones kept files. The current version reads neither. */
export function resume({ container, path }: SourceRef, sessionId: string): ResumeWay | ResumeRefusal {
  if (container === "sqlite" && basename(dirname(path)) !== ".opencode")
    return { words: ["opencode", "--session", sessionId] };
  return { refused: "unknown_to_agent", why: "it lies in a store of an older OpenCode, which today's does not read" };
}
