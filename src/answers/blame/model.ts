import type { FileEdit } from "../../agents/contract.ts";
import type { FileSet } from "./file-sets.ts";
import type { Rewrite } from "./stream-edit.ts";

/** What a tool was told to do to a file, or what a command did according to its text. */
export type BlameEdit =
  | FileEdit
  | { kind: "copy"; path: string; to: string }
  /** The file becomes what was committed last. */
  | { kind: "restore"; path: string }
  /** Any line may be rewritten. `among`: which of the files below the path. */
  | { kind: "stream"; path: string; rewrite: Rewrite; puts: string[]; among?: Pick<FileSet, "means" | "holding"> }
  /** A formatter ran over the file or directory: changed lines with the same letters are attributed to it. */
  | { kind: "format"; path: string; files: RegExp }
  /** A program that names the file and writes: new lines that occur in its text are attributed to it. */
  | { kind: "script"; path: string; text: string }
  /** The content is what a program printed or created, and is not recorded. `ifNew`: only if the file did not exist. */
  | { kind: "output"; path: string; ifNew?: true }
  /** A call printed the file, possibly with others; nothing was changed. */
  | { kind: "shown"; path: string; text: string; isAlone: boolean }
  /** A call listed the directory, and the file was not in it. */
  | { kind: "absent"; path: string };

/** A recorded change of one file, with the call that made it. */
export interface EditEvent {
  edit: BlameEdit;
  /** End of the call: the time at which the file was changed. */
  time: number;
  source: string;
  session_id: string;
  session_path: string;
  call_id: string;
  line: number;
  /** Null in a session that no human spoke to: the parent's turn is responsible for it. */
  turn_ref: string | null;
}

/**
 * `before_records`: the line was there before the first recorded change. `changed_outside`: it appeared between
 * recorded changes, by a human or by a command whose effect is not recorded. `ambiguous`: equal lines are adjacent and
 * not all of the same origin. `older_in_git`: git has it from before the change that seems to have written it.
 * `not_recorded`: no change of this file is recorded.
 */
export const UNKNOWN_REASONS = [
  "before_records",
  "changed_outside",
  "ambiguous",
  "older_in_git",
  "not_recorded",
] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

export type Origin = { by: EditEvent } | { by: null; reason: UnknownReason };

/** One line of a file. Identity matters: a line that stays unchanged keeps its object. */
export interface Line {
  readonly text: string;
  readonly origin: Origin;
}

/** What a file is known to have held at a point in time. */
export interface Snapshot {
  /** Epoch ms, exact to a second. */
  time: number;
  path: string;
  /** The path before, when the file was renamed since the last snapshot. */
  from: string | null;
  /** Null when the file was gone. */
  lines: string[] | null;
  /** The commit reverts an earlier one. */
  isRevert: boolean;
  /** Subject of the commit. */
  subject?: string;
  /** Contents of the file on the branches that the commit merged. */
  merged?: string[][];
}

/** Lines without line breaks; a break at the end of the file does not start a line. */
export function linesOf(text: string): string[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
