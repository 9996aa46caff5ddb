import type { ToolView } from "../../views/tool-view.ts";
import { commandText } from "../../base/shell/commands.ts";
import { programsOf, type ProgramRun } from "../../base/shell/program-runs.ts";
import type { BlameEdit, EditEvent } from "./model.ts";
import { programEdits, toolEdits, resolveEdit, workingPlaceOf, type PlacedCall } from "./placed-call.ts";
import { WrittenScripts } from "./written-scripts.ts";
import { sessionKey, keyOfSession } from "../../record/session-key.ts";

/**
 * What calls did to files, in order of time, with absolute paths. Calls made inside a script call are left out when the
 * script itself shows its edits.
 */
export function editEvents(calls: readonly PlacedCall[]): EditEvent[] {
  const scripts = new WrittenScripts(calls);
  const found = new Map(calls.map((call) => [nameOf(call.view), [...editsHere(call), ...scripts.editsBy(call)]]));
  const events = calls.flatMap(({ view }) => {
    const outer = view.parent_call_id === null ? undefined : found.get(`${sessionKey(view)}/${view.parent_call_id}`);
    if (outer && outer.length > 0) return [];
    // The edits of one call happened one after the other.
    return (found.get(nameOf(view)) ?? []).map((edit, n) => toEvent(view, edit, n * STEP));
  });
  return events.toSorted((a, b) => a.time - b.time);
}

/** Cache: the blame of a whole revision reads the same calls for every file. */
const editCache = new WeakMap<PlacedCall, BlameEdit[]>();

function editsHere(call: PlacedCall): BlameEdit[] {
  const edits = editCache.get(call) ?? editsIn(call).flatMap((edit) => resolveEdit(edit, call.here));
  editCache.set(call, edits);
  return edits;
}

/** In milliseconds. */
const STEP = 0.001;

function nameOf({ source, session_id, call_id }: ToolView): string {
  return `${keyOfSession(source, session_id)}/${call_id}`;
}

export function toEvent(
  { source, session_id, session_path, call_id, started_at, duration_ms, start_line, turn_ref }: ToolView,
  edit: BlameEdit,
  later: number,
): EditEvent {
  const time = started_at === null ? 0 : Date.parse(started_at) + (duration_ms ?? 0) + later;
  // A call whose input is known has all of these.
  const place = { session_path: session_path ?? "", call_id: call_id ?? "", line: start_line ?? 0 };
  return { edit, time, source, session_id, ...place, turn_ref };
}

function editsIn(call: PlacedCall): BlameEdit[] {
  const { input, status } = call.view;
  const name = call.view.name ?? "";
  const place = workingPlaceOf(call);
  const edits = toolEdits(call);
  if (edits.length > 0) return status === "ok" ? edits : [];
  const command = commandText(name, input);
  if (command === "") return [];
  const ran = programsOf(command, place, true);
  if (status === "ok") return ran.flatMap((one) => programEdits(one, place.roots));
  const before = beforeFailing(ran);
  // A formatter that fails on one file has still written the others.
  const failed = ran.slice(before.length, before.length + 1).flatMap((one) => programEdits(one, place.roots));
  return [
    ...before.flatMap((one) => programEdits(one, place.roots)),
    ...failed.filter(({ kind }) => kind === "format"),
  ];
}

/** Programs that hardly ever fail. */
const SAFE = /^(?:cd|mkdir|cat|tee|echo|printf|sed|perl|cp|mv|rm|touch|chmod|ls|pwd|true|:|set|export)?$/;

/**
 * For a failed command, the programs that ran before anything could fail. When all of them are safe, the last one is
 * the one that failed.
 */
function beforeFailing(ran: readonly ProgramRun[]): ProgramRun[] {
  const end = ran.findIndex(({ program }) => !SAFE.test(program));
  return ran.slice(0, end === -1 ? -1 : end);
}
