import type { ToolView } from "../../views/tool-view.ts";
import { fieldsOf } from "../../base/io/json.ts";
import { textIn } from "../../base/shell/commands.ts";
import type { ProgramRun } from "../../base/shell/program-runs.ts";
import { resolvePath, UNKNOWN_PART } from "../../base/shell/working-place.ts";
import { editsOf } from "../../agents/traits.ts";
import type { BlameEdit } from "./model.ts";
import { editsOfProgram } from "./programs.ts";

/** A successful call or a failed command, and where it ran. */
export interface PlacedCall {
  view: ToolView;
  cwd: string | null;
  /** Maps a path of that time to the current one; null when it is not among the files asked about. */
  here: (path: string) => string | null;
}

/** The directory in which a call ran. */
export function workingPlaceOf({ view, cwd }: PlacedCall): { roots: string[]; cwd: string | null } {
  const given = textIn(fieldsOf(view.input), ["workdir", "cwd"]);
  return {
    roots: cwd === null ? [] : [cwd],
    cwd: given === null ? cwd : resolvePath(given, cwd, { roots: [], cwd }),
  };
}

export function toolEdits(call: PlacedCall): BlameEdit[] {
  const place = workingPlaceOf(call);
  return editsOf(call.view.name ?? "", call.view.input).flatMap((edit) =>
    resolveEdit(edit, (path) => resolvePath(path, place.cwd, place)),
  );
}

/** Resolves the paths of an edit; empty when a path is unknown. */
export function resolveEdit(edit: BlameEdit, whole: (path: string) => string | null): BlameEdit[] {
  const path = whole(edit.path);
  if (path === null) return [];
  if (edit.kind === "patch") return [{ ...edit, path, to: edit.to === null ? null : whole(edit.to) }];
  if (edit.kind !== "move" && edit.kind !== "copy") return [{ ...edit, path }];
  const to = whole(edit.to);
  return to === null ? [] : [{ ...edit, path, to }];
}

export function programEdits(ran: ProgramRun, roots: readonly string[]): BlameEdit[] {
  const whole = (path: string): string | null =>
    path.includes(UNKNOWN_PART) ? null : resolvePath(path, ran.cwd, { roots, cwd: ran.cwd });
  return editsOfProgram(ran).flatMap((edit) => resolveEdit(edit, whole));
}
