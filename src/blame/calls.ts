import type { ToolView } from "../answers/tool-view.ts";
import { commandText } from "../shell/commands.ts";
import { programsOf, type Ran } from "../shell/ran.ts";
import type { BlameEdit, EditEvent } from "./model.ts";
import { byProgram, editsByTool, placed, placeOf, type PlacedCall } from "./placed-call.ts";
import { WrittenScripts } from "./written-scripts.ts";

/** What calls did to files, in order of time, with whole paths. What a script ran is shown by the script, where it tells. */
export function editEvents(calls: readonly PlacedCall[]): EditEvent[] {
  const scripts = new WrittenScripts(calls);
  const found = new Map(calls.map((call) => [nameOf(call.view), [...editsHere(call), ...scripts.editsBy(call)]]));
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

export function eventOf(
  { source, session_id, session_path, call_id, started_at, duration_ms, start_line, turn_ref }: ToolView,
  edit: BlameEdit,
  later: number,
): EditEvent {
  const time = started_at === null ? 0 : Date.parse(started_at) + (duration_ms ?? 0) + later;
  // A call that says what it did says where it stands.
  const place = { session_path: session_path ?? "", call_id: call_id ?? "", line: start_line ?? 0 };
  return { edit, time, source, session_id, ...place, turn_ref };
}

function editsIn(call: PlacedCall): BlameEdit[] {
  const { input, status } = call.view;
  const name = call.view.name ?? "";
  const place = placeOf(call);
  const edits = editsByTool(call);
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
