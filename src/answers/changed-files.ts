import { iso } from "../time/zone.ts";
import { order } from "../text/order.ts";
import type { TurnGlance } from "./glance.ts";

/** A file that turns changed. */
export interface ChangedFile {
  path: string;
  /** Project of the turn that changed the file last. */
  project: string;
  turns: number;
  last_time: string | null;
}

/** Selects files, in addition to project and days. */
export interface FileChoice {
  /** Part of the path; case is ignored. */
  text?: string | undefined;
}

/** Files that turns changed, the most recently changed first; `glances` must be in order of time. */
export function changedFiles(glances: readonly TurnGlance[], choice: FileChoice): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const { project, time, files: touched } of glances) {
    for (const path of new Set(touched.map((file) => file.path))) {
      if (!matchesPath(path, choice)) continue;
      const known = files.get(path);
      // Glances are in order of time, so the last one has the latest time.
      files.set(path, {
        path,
        project,
        turns: (known?.turns ?? 0) + 1,
        last_time: iso(time) ?? known?.last_time ?? null,
      });
    }
  }
  return [...files.values()].toSorted((a, b) => order(b.last_time ?? "", a.last_time ?? "") || order(a.path, b.path));
}

export function matchesPath(path: string, { text = "" }: FileChoice): boolean {
  return path.toLowerCase().includes(text.toLowerCase());
}

/** The file name in a path with slashes or backslashes. */
export function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
