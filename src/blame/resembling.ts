import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Git } from "../io/git.ts";
import { linesOf, type EditEvent } from "./model.ts";
import { isTelling } from "./replay.ts";

/** As much as git asks for to call it a rename. */
const ENOUGH = 0.5;
/** So many files that are gone are compared. */
const MOST = 200;
/** So few lines are alike by chance. */
const FEWEST = 3;

/** A name that a file seems to have had before somebody gave it another, and nobody told git. */
export interface Resembling {
  path: string;
  lines: readonly string[];
  git: Git | null;
  /** Of all files, with whole paths. */
  events: readonly EditEvent[];
}

/** A file that is gone and held what this one holds; null where there is none, or more than one. */
export function resembling({ path, lines, git, events }: Resembling): string | null {
  const held = new Map([...recordedLines(path, events), ...deletedLines(git)]);
  const now = tellingLines(lines);
  const alike = [...held].filter(
    ([from, text]) => from !== path && isAlike(text, now, basename(from) === basename(path)),
  );
  return alike.length === 1 ? (alike[0]?.[0] ?? null) : null;
}

/** Whether a file may be what another was: half of what that held is in it. */
export function isAlike(held: ReadonlySet<string>, now: ReadonlySet<string>, isNamesake: boolean): boolean {
  const same = [...held].filter((line) => now.has(line)).length;
  return same >= held.size * ENOUGH && same >= (isNamesake ? 1 : FEWEST);
}

export function tellingLines(lines: readonly string[]): Set<string> {
  return new Set(lines.filter(isTelling));
}

/** What git has and the directory has not. */
function deletedLines(git: Git | null): [string, Set<string>][] {
  if (!git) return [];
  const names = (git.ask("ls-files", "-d", "-z") ?? "")
    .split("\0")
    .filter((name) => name !== "")
    .slice(0, MOST);
  const texts = git.contents(names.map((name) => `HEAD:${name}`));
  return names.flatMap((name, i): [string, Set<string>][] => {
    const text = texts[i] ?? null;
    return text === null ? [] : [[join(git.root, name), tellingLines(linesOf(text))]];
  });
}

/** What is recorded to have been put into files that are gone. */
function recordedLines(path: string, events: readonly EditEvent[]): [string, Set<string>][] {
  const out = new Map<string, Set<string>>();
  for (const { edit } of events) {
    const put = textsIn(edit).flatMap(linesOf).filter(isTelling);
    if (put.length === 0 || edit.path === path) continue;
    const known = out.get(edit.path) ?? new Set();
    for (const line of put) known.add(line);
    out.set(edit.path, known);
  }
  // One that a command or a patch took elsewhere is there.
  const led = new Set(
    events.flatMap(({ edit }) => (edit.kind === "move" || edit.kind === "delete" ? [edit.path] : [])),
  );
  return [...out].filter(([at]) => !led.has(at) && !existsSync(at)).slice(0, MOST);
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
