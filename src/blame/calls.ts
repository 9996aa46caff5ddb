import type { ToolView } from "../answers/tool-view.ts";
import { commandText, fieldsOf, textIn } from "../shell/commands.ts";
import { programsOf, type Ran } from "../shell/ran.ts";
import { resolvePath, UNKNOWN } from "../shell/working-place.ts";
import { editsOf } from "../sources/traits.ts";
import type { BlameEdit, EditEvent } from "./model.ts";
import { editsOfProgram } from "./programs.ts";

/** A call that ended well, or a command that ended with an error, and where it ran. */
export interface PlacedCall {
  view: ToolView;
  cwd: string | null;
  /** Where a path of then is now; null when it is none of the files that are asked about. */
  here: (path: string) => string | null;
}

/** What calls did to files, in order of time, with whole paths. What a script ran is shown by the script, where it tells. */
export function editEvents(calls: readonly PlacedCall[]): EditEvent[] {
  const found = new Map(calls.map((call) => [nameOf(call.view), editsHere(call)]));
  const events = calls.flatMap(({ view }) => {
    const outer =
      view.parent_call_id === null ? undefined : found.get(`${view.source}/${view.session_id}/${view.parent_call_id}`);
    if (outer && outer.length > 0) return [];
    // What one call did it did one after the other.
    return (found.get(nameOf(view)) ?? []).map((edit, n) => eventOf(view, edit, n * STEP));
  });
  return events.toSorted((a, b) => a.time - b.time);
}

/** Of a revision every file asks the same calls. */
const known = new WeakMap<PlacedCall, BlameEdit[]>();

function editsHere(call: PlacedCall): BlameEdit[] {
  const edits = known.get(call) ?? editsIn(call).flatMap((edit) => placed(edit, call.here));
  known.set(call, edits);
  return edits;
}

/** Of a millisecond. */
const STEP = 0.001;

function nameOf({ source, session_id, call_id }: ToolView): string {
  return `${source}/${session_id}/${call_id}`;
}

function eventOf(
  { source, session_id, session_path, call_id, started_at, duration_ms, start_line, turn_ref }: ToolView,
  edit: BlameEdit,
  later: number,
): EditEvent {
  const time = started_at === null ? 0 : Date.parse(started_at) + (duration_ms ?? 0) + later;
  // A call that says what it did says where it stands.
  const place = { session_path: session_path ?? "", call_id: call_id ?? "", line: start_line ?? 0 };
  return { edit, time, source, session_id, ...place, turn_ref };
}

function editsIn({ view, cwd }: PlacedCall): BlameEdit[] {
  const { input, status } = view;
  const name = view.name ?? "";
  const given = textIn(fieldsOf(input), ["workdir", "cwd"]);
  const place = {
    roots: cwd === null ? [] : [cwd],
    cwd: given === null ? cwd : resolvePath(given, cwd, { roots: [], cwd }),
  };
  const edits = editsOf(name, input).flatMap((edit) => placed(edit, (path) => resolvePath(path, place.cwd, place)));
  if (edits.length > 0) return status === "ok" ? edits : [];
  const command = commandText(name, input);
  if (command === "") return [];
  const ran = programsOf(command, place, true);
  if (status === "ok") return ran.flatMap((one) => byProgram(one, place.roots));
  const before = beforeFailing(ran);
  // A formatter that stumbles over one file has written the others.
  const failed = ran.slice(before.length, before.length + 1).flatMap((one) => byProgram(one, place.roots));
  return [...before.flatMap((one) => byProgram(one, place.roots)), ...failed.filter(({ kind }) => kind === "format")];
}

/** Programs that do not fail where anything works. */
const SAFE = /^(?:cd|mkdir|cat|tee|echo|printf|sed|perl|cp|mv|rm|touch|chmod|ls|pwd|true|:|set|export)?$/;

/** Of a command that failed: what ran before anything could fail. The last one is what failed, if nothing before it did. */
function beforeFailing(ran: readonly Ran[]): Ran[] {
  const end = ran.findIndex(({ program }) => !SAFE.test(program));
  return ran.slice(0, end === -1 ? -1 : end);
}

/** Without those whose place nobody knows. */
function placed(edit: BlameEdit, whole: (path: string) => string | null): BlameEdit[] {
  const path = whole(edit.path);
  if (path === null) return [];
  if (edit.kind === "patch") return [{ ...edit, path, to: edit.to === null ? null : whole(edit.to) }];
  if (edit.kind !== "move" && edit.kind !== "copy") return [{ ...edit, path }];
  const to = whole(edit.to);
  return to === null ? [] : [{ ...edit, path, to }];
}

function byProgram(ran: Ran, roots: readonly string[]): BlameEdit[] {
  const whole = (path: string): string | null =>
    path.includes(UNKNOWN) ? null : resolvePath(path, ran.cwd, { roots, cwd: ran.cwd });
  return editsOfProgram(ran).flatMap((edit) => placed(edit, whole));
}
