import type { FileEdit } from "../sources/contract.ts";
import type { FileSet } from "./file-sets.ts";
import type { Rewrite } from "./stream-edit.ts";

/** What a tool was told to do, or what a command did by its text. */
export type BlameEdit =
  | FileEdit
  | { kind: "copy"; path: string; to: string }
  /** It becomes again what was committed last. */
  | { kind: "restore"; path: string }
  /** Every line may become another. `among`: of files below the path, which. */
  | { kind: "stream"; path: string; rewrite: Rewrite; puts: string[]; among?: Pick<FileSet, "means" | "holding"> }
  /** A formatter ran over it, or over a directory: lines that became others of the same letters are its own. */
  | { kind: "format"; path: string; files: RegExp }
  /** A program that names the file and writes: lines that turn up and stand in its text are its own. */
  | { kind: "script"; path: string; text: string }
  /** All it holds is what a program printed, or made: nobody wrote down what. `ifNew`: where there was no such file. */
  | { kind: "output"; path: string; ifNew?: true }
  /** A call printed it, and maybe other files: nothing was changed. */
  | { kind: "shown"; path: string; text: string; isAlone: boolean }
  /** A call listed what there is, and it was not. */
  | { kind: "absent"; path: string };

/** A recorded change of one file, with who asked for it. */
export interface EditEvent {
  edit: BlameEdit;
  /** Where the call stands; its end is when the file was changed. */
  time: number;
  source: string;
  session_id: string;
  session_path: string;
  call_id: string;
  line: number;
  /** Null in a session that no human spoke to: its parent's turn answers for it. */
  turn_ref: string | null;
}

/**
 * `before_records`: it stood there before the first recorded change. `changed_outside`: it came between recorded changes, by a human
 * or by a command whose effect is not recorded. `ambiguous`: equal lines stand side by side, and not all are of one origin.
 * `older_in_git`: git has it from before the change that seems to have written it. `not_recorded`: no change of this file is recorded.
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

/** One line of a file. The object is the line: where it moves on unchanged, so does the object. */
export interface Line {
  readonly text: string;
  readonly origin: Origin;
}

/** What a file is known to have held at a moment. */
export interface Snapshot {
  /** Epoch ms; it may be a second off. */
  time: number;
  path: string;
  /** What it was called before, where it was renamed since the last one. */
  from: string | null;
  /** Null: it was gone. */
  lines: string[] | null;
  /** It takes back what an earlier one did. */
  isRevert: boolean;
  /** What its commit is called. */
  subject?: string;
  /** What it was on the branches that were merged with it. */
  merged?: string[][];
}

/** Lines without their ends; a break at the end of the file begins no line. */
export function linesOf(text: string): string[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
