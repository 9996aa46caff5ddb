import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Git } from "../../base/io/git.ts";
import { linesOf, type EditEvent } from "./model.ts";
import { isDistinctive } from "./replay.ts";

/** Share of equal lines, the same that git requires for a rename. */
const ENOUGH = 0.5;
/** Maximum number of deleted files that are compared. */
const MAX_DELETED_FILES = 200;
/** Fewer equal lines may be a coincidence. */
const FEWEST = 3;

/** A file that may have been renamed without git being told, and what its former path is looked for in. */
export interface ResemblanceInput {
  path: string;
  lines: readonly string[];
  git: Git | null;
  /** Changes of all files, with absolute paths. */
  events: readonly EditEvent[];
}

/** The deleted file that held what this one holds; null when there is none, or more than one. */
export function findFormerPath({ path, lines, git, events }: ResemblanceInput): string | null {
  const held = new Map([...recordedLines(path, events), ...deletedLines(git)]);
  const now = distinctiveLines(lines);
  const alike = [...held].filter(
    ([from, text]) => from !== path && isAlike(text, now, basename(from) === basename(path)),
  );
  return alike.length === 1 ? (alike[0]?.[0] ?? null) : null;
}

/** Whether a file may be what another one was: half of the other's lines are in it. */
export function isAlike(held: ReadonlySet<string>, now: ReadonlySet<string>, isNamesake: boolean): boolean {
  const same = [...held].filter((line) => now.has(line)).length;
  return same >= held.size * ENOUGH && same >= (isNamesake ? 1 : FEWEST);
}

export function distinctiveLines(lines: readonly string[]): Set<string> {
  return new Set(lines.filter(isDistinctive));
}

/** Files that git has and the working directory has not. */
function deletedLines(git: Git | null): [string, Set<string>][] {
  if (!git) return [];
  const names = (git.ask("ls-files", "-d", "-z") ?? "")
    .split("\0")
    .filter((name) => name !== "")
    .slice(0, MAX_DELETED_FILES);
  const texts = git.contents(names.map((name) => `HEAD:${name}`));
  return names.flatMap((name, i): [string, Set<string>][] => {
    const text = texts[i] ?? null;
    return text === null ? [] : [[join(git.root, name), distinctiveLines(linesOf(text))]];
  });
}

/** Lines that are recorded as written into files that are gone. */
function recordedLines(path: string, events: readonly EditEvent[]): [string, Set<string>][] {
  const out = new Map<string, Set<string>>();
  for (const { edit } of events) {
    const put = textsIn(edit).flatMap(linesOf).filter(isDistinctive);
    if (put.length === 0 || edit.path === path) continue;
    const known = out.get(edit.path) ?? new Set();
    for (const line of put) known.add(line);
    out.set(edit.path, known);
  }
  // Files that a recorded command moved or deleted are accounted for.
  const led = new Set(
    events.flatMap(({ edit }) => (edit.kind === "move" || edit.kind === "delete" ? [edit.path] : [])),
  );
  return [...out].filter(([at]) => !led.has(at) && !existsSync(at)).slice(0, MAX_DELETED_FILES);
}

function textsIn(edit: EditEvent["edit"]): string[] {
  switch (edit.kind) {
    case "write":
      return [edit.content];
    case "replace":
      return [edit.after];
    case "insert":
      return [edit.text];
    case "patch":
      return edit.hunks.map(({ after }) => after.join("\n"));
    default:
      return [];
  }
}
