import type { ToolView } from "../answers/tool-view.ts";
import { fieldsOf, textIn } from "../shell/commands.ts";
import type { Ran } from "../shell/ran.ts";
import { resolvePath, UNKNOWN } from "../shell/working-place.ts";
import { editsOf } from "../sources/traits.ts";
import type { BlameEdit } from "./model.ts";
import { editsOfProgram } from "./programs.ts";

/** A call that ended well, or a command that ended with an error, and where it ran. */
export interface PlacedCall {
  view: ToolView;
  cwd: string | null;
  /** Where a path of then is now; null when it is none of the files that are asked about. */
  here: (path: string) => string | null;
}

/** Where a call ran. */
export function placeOf({ view, cwd }: PlacedCall): { roots: string[]; cwd: string | null } {
  const given = textIn(fieldsOf(view.input), ["workdir", "cwd"]);
  return {
    roots: cwd === null ? [] : [cwd],
    cwd: given === null ? cwd : resolvePath(given, cwd, { roots: [], cwd }),
  };
}

export function editsByTool(call: PlacedCall): BlameEdit[] {
  const place = placeOf(call);
  return editsOf(call.view.name ?? "", call.view.input).flatMap((edit) =>
    placed(edit, (path) => resolvePath(path, place.cwd, place)),
  );
}

/** Without those whose place nobody knows. */
export function placed(edit: BlameEdit, whole: (path: string) => string | null): BlameEdit[] {
  const path = whole(edit.path);
  if (path === null) return [];
  if (edit.kind === "patch") return [{ ...edit, path, to: edit.to === null ? null : whole(edit.to) }];
  if (edit.kind !== "move" && edit.kind !== "copy") return [{ ...edit, path }];
  const to = whole(edit.to);
  return to === null ? [] : [{ ...edit, path, to }];
}

export function byProgram(ran: Ran, roots: readonly string[]): BlameEdit[] {
  const whole = (path: string): string | null =>
    path.includes(UNKNOWN) ? null : resolvePath(path, ran.cwd, { roots, cwd: ran.cwd });
  return editsOfProgram(ran).flatMap((edit) => placed(edit, whole));
}
