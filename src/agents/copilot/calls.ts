/** Calls and how they are settled. */
import type { RecordBody, ToolFinishedBody, ToolStatus, TouchedFile } from "../../record/record.ts";
import { millis, num, obj, objects, str, type Native } from "../kit/native.ts";
import { dataOf, type ReaderState } from "./native.ts";

const CREATORS: ReadonlySet<string> = new Set(["create", "write"]);
const EDITORS: ReadonlySet<string> = new Set([...CREATORS, "edit", "str_replace", "str_replace_editor", "insert"]);
/** How a shell result ends; older versions wrote the second form. */
const EXIT = /<(?:shellId: \S+ completed|exited|command exited|command completed) with exit code (-?\d+)>\s*$/;
const DENIED = /(?:^|_|\b)(?:denied|rejected|not[_ ]permitted|permission)/i;
const STOPPED = /(?:aborted|cancell?ed|interrupted)/i;

/** A call is reported by the message that requests it and again when it starts. */
export function startCall(
  id: string | null,
  name: string,
  input: unknown,
  record: Native,
  state: ReaderState,
  full: boolean,
): RecordBody[] {
  if (id === null) return [];
  const known = state.calls.get(id);
  const at = millis(record["timestamp"]);
  const path = EDITORS.has(name) ? str(obj(input)?.["path"]) : null;
  state.calls.set(id, { name, at, path: path ?? known?.path ?? null });
  if (known) return [];
  const parent = str(dataOf(record)["parentToolCallId"]);
  return [
    {
      type: "tool_started",
      call_id: id,
      name,
      input: full ? (input ?? null) : null,
      ...(parent === null ? {} : { parent_call_id: parent }),
    },
  ];
}

export function settle(record: Native, state: ReaderState, full: boolean): RecordBody[] {
  const data = dataOf(record);
  const call = str(data["toolCallId"]);
  if (call === null) return [];
  const result = obj(data["result"]);
  const error = obj(data["error"]);
  const text = str(result?.["content"]) ?? str(error?.["message"]) ?? "";
  const exit = exitOf(data, text);
  const status = statusOf(data, error, exit);
  const started = state.calls.get(call);
  const body: ToolFinishedBody = {
    type: "tool_finished",
    call_id: call,
    status,
    exit_code: exit,
    duration_ms: tookFrom(started?.at ?? null, millis(record["timestamp"])),
  };
  if (full) {
    body.output = text;
    if (obj(obj(data["toolTelemetry"])?.["properties"])?.["largeOutputHandled"] === "true") body.truncated = true;
    if (status !== "ok") body.error = str(error?.["message"]) ?? text;
  }
  const files = status === "ok" ? touched(data, started) : [];
  if (files.length > 0) body.files = files;
  return [body];
}

/** No duration is stated; the records that start and end the call have times. */
function tookFrom(start: number | null, end: number | null): number | null {
  return start === null || end === null || end < start ? null : end - start;
}

function exitOf(data: Native, text: string): number | null {
  const stated = num(obj(data["shellExecution"])?.["exitCode"]);
  if (stated !== null) return stated;
  const metric = num(obj(obj(data["toolTelemetry"])?.["metrics"])?.["exit_code"]);
  const printed = Number(EXIT.exec(text)?.[1]);
  return metric ?? (Number.isInteger(printed) ? printed : null);
}

/** `success` means that the tool ran; only the exit code shows that a command failed. */
function statusOf(data: Native, error: Native | null, exit: number | null): ToolStatus {
  if (data["success"] === false || error !== null) {
    const code = str(error?.["code"]) ?? "";
    const message = str(error?.["message"]) ?? "";
    if (DENIED.test(code) || /^(?:The user (?:rejected|denied)|Permission denied|Denied by)/i.test(message))
      return "denied";
    return STOPPED.test(code) ||
      /^(?:The (?:tool|operation|execution) was|Operation) (?:aborted|cancell?ed)/i.test(message)
      ? "interrupted"
      : "failed";
  }
  return exit !== null && exit !== 0 ? "failed" : "ok";
}

function touched(data: Native, started: { name: string; path: string | null } | undefined): TouchedFile[] {
  const edits = objects(data["fileEdits"]).flatMap((edit): TouchedFile[] => {
    const path = str(edit["path"]);
    return path === null ? [] : [{ path, operation: operationOf(str(edit["kind"])) }];
  });
  if (edits.length > 0 || !started?.path) return edits;
  return [{ path: started.path, operation: CREATORS.has(started.name) ? "created" : "modified" }];
}

function operationOf(kind: string | null): TouchedFile["operation"] {
  if (kind === "create") return "created";
  if (kind === "delete") return "deleted";
  return kind === "rename" || kind === "move" ? "renamed" : "modified";
}
