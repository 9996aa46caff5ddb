import { createHash } from "node:crypto";
import { join } from "node:path";
import { realPath } from "./own.ts";

/** Paths of one day's workspace and what belongs to it. */
export interface WorkspacePlaces {
  home: string;
  workspace: string;
  /** Holds absolute paths and diagnostics, which are never written into the workspace. */
  manifest: string;
  /** The workspace is at Daybook's own default path, so everything there belongs to Daybook. */
  isOwn: boolean;
}

export const MANIFEST_NAME = "audit.manifest.json";

export function workRoot(home: string): string {
  return join(home, "work");
}

export function workspacePlaces(home: string, date: string, out?: string): WorkspacePlaces {
  const own = join(workRoot(home), date);
  const workspace = out === undefined ? own : realPath(out);
  const isOwn = realPath(own) === realPath(workspace);
  const notes = join(home, "private", date);
  // A workspace elsewhere has its own manifest: two workspaces of one day must not overwrite each other's.
  const manifest = isOwn ? join(notes, MANIFEST_NAME) : join(notes, `at-${shortHash(workspace)}`, MANIFEST_NAME);
  return { home, workspace, manifest, isOwn };
}

export function collectionPath(home: string, date: string): string {
  return join(home, "collections", `${date}.zip`);
}

function shortHash(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 12);
}
