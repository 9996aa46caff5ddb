import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DaybookError } from "../../base/errors.ts";

export interface BlameTarget {
  path: string;
  lines: readonly [first: number, last: number] | null;
  /** The directory it is given from. */
  cwd: string;
}

/**
 * `FILE`, `FILE:12` or `FILE:12-20`, relative to a directory. A file that has the whole text as its name takes
 * precedence.
 */
export function blameTarget(text: string, cwd: string): BlameTarget {
  const [, name, first, last] = existsSync(resolve(cwd, text)) ? [] : (/^(.+?):(\d+)(?:-(\d+))?$/.exec(text) ?? []);
  const path = realPath(resolve(cwd, name ?? text));
  if (first === undefined) return { path, lines: null, cwd: realPath(cwd) };
  const from = Number(first);
  const to = last === undefined ? from : Number(last);
  if (from < 1 || to < from)
    throw new DaybookError(`no lines ${first}-${last ?? first}`, {
      code: "usage",
      op: "blame",
      hint: "lines count from 1",
    });
  return { path, lines: [from, to], cwd: realPath(cwd) };
}

/** The real path; for a file that is gone, where it would be. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const up = dirname(path);
    return up === path ? path : join(realPath(up), basename(path));
  }
}
