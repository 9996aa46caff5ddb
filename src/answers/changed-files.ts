import { iso } from "../time/zone.ts";
import { order } from "../text/order.ts";
import type { TurnGlance } from "./glance.ts";

/** A file that turns changed. */
export interface ChangedFile {
  path: string;
  /** Of the turn that changed it last. */
  project: string;
  turns: number;
  last_time: string | null;
}

/** Which files are asked for, beyond project and days. */
export interface FileChoice {
  /** Part of the path, in any case. */
  text?: string | undefined;
}

/** Files that turns changed, the last changed first; `glances` in order of time. */
export function changedFiles(glances: readonly TurnGlance[], choice: FileChoice): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const { project, time, files: touched } of glances) {
    for (const path of new Set(touched.map((file) => file.path))) {
      if (!holdsPath(path, choice)) continue;
      const known = files.get(path);
      // In order of time: the last one says when.
      files.set(path, {
        ...{ path, project, turns: (known?.turns ?? 0) + 1 },
        last_time: iso(time) ?? known?.last_time ?? null,
      });
    }
  }
  return [...files.values()].toSorted((a, b) => order(b.last_time ?? "", a.last_time ?? "") || order(a.path, b.path));
}

export function holdsPath(path: string, { text = "" }: FileChoice): boolean {
  return path.toLowerCase().includes(text.toLowerCase());
}

/** Of a path of any system. */
export function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
