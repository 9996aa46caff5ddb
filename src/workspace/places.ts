import { createHash } from "node:crypto";
import { join } from "node:path";
import { real } from "./own.ts";

/** Where one day's workspace and what goes with it live. */
export interface WorkspacePlaces {
  home: string;
  workspace: string;
  /** Absolute paths and diagnostics stand here and never in the workspace. */
  manifest: string;
  /** The workspace stands where Daybook itself put it, so whatever is there is Daybook's. */
  isOwn: boolean;
}

export const MANIFEST_NAME = "audit.manifest.json";

export function workRoot(home: string): string {
  return join(home, "work");
}

export function workspacePlaces(home: string, date: string, out?: string): WorkspacePlaces {
  const own = join(workRoot(home), date);
  const workspace = out === undefined ? own : real(out);
  const isOwn = real(own) === real(workspace);
  const notes = join(home, "private", date);
  // A workspace elsewhere has notes of its own: two of one day must not overwrite each other's.
  const manifest = isOwn ? join(notes, MANIFEST_NAME) : join(notes, `at-${shortHash(workspace)}`, MANIFEST_NAME);
  return { home, workspace, manifest, isOwn };
}

export function collectionPath(home: string, date: string): string {
  return join(home, "collections", `${date}.zip`);
}

function shortHash(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 12);
}
