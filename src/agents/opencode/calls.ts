import type { RecordBody, ToolFinishedBody, ToolStatus, TouchedFile } from "../../record/record.ts";
import { list, nonEmpty, num, obj, str, type Native } from "../kit/native.ts";
import { SOURCE_ID, time } from "./native.ts";

/** Sentences of OpenCode's permission module; a refused call is stored as an error like any other. */
const DENIED = [
  "The user rejected permission to use this specific tool call",
  "The user has specified a rule which prevents you from using this specific tool call",
  "The user dismissed this question",
];
const CUT_OFF = "Tool execution aborted";
const ABORTED_SHELL = "User aborted the command";
const TIMED_OUT = "terminated command after exceeding timeout";

export function isUnsettled(part: Native | null): boolean {
  if (part?.["type"] !== "tool") return false;
  const status = str(obj(part["state"])?.["status"]);
  return status === "pending" || status === "running";
}

/** A tool part is call and result in one row, rewritten while the call runs. */
export function toolRecords(part: Native, full: boolean): RecordBody[] {
  const state = obj(part["state"]) ?? {};
  const call = str(part["callID"]) ?? str(part["id"]) ?? "";
  const name = str(part["tool"]) ?? "";
  const input = state["input"] ?? null;
  const out: RecordBody[] = [{ type: "tool_started", call_id: call, name, input: full ? input : null }];
  const child = childOf(name, state, part);
  const role = str(obj(input)?.["subagent_type"]);
  const link = { type: "child_linked", relation: "subagent", role, call_id: call } as const;
  if (child !== null) out.push({ ...link, child: { source: SOURCE_ID, session_id: child }, phase: "spawned" });
  const finished = settlement(name, call, state, full);
  if (!finished) return out;
  out.push(finished);
  const metadata = obj(state["metadata"]);
  if (child !== null && metadata?.["background"] !== true)
    out.push({ ...link, child: { source: SOURCE_ID, session_id: child }, phase: "returned" });
  return out;
}

function childOf(name: string, state: Native, part: Native): string | null {
  if (name !== "task") return null;
  for (const metadata of [obj(state["metadata"]), obj(part["metadata"])]) {
    const id = nonEmpty(metadata?.["sessionId"]) ?? nonEmpty(metadata?.["sessionID"]);
    if (id !== null) return id;
  }
  return null;
}

/** Null while the call is running, and forever if the agent was killed during the call. */
function settlement(name: string, call: string, state: Native, full: boolean): ToolFinishedBody | null {
  const status = str(state["status"]);
  if (status !== "completed" && status !== "error") return null;
  const metadata = obj(state["metadata"]);
  const output = str(state["output"]) ?? str(metadata?.["output"]) ?? "";
  const error = str(state["error"]);
  const exit = num(metadata?.["exit"]);
  const times = obj(state["time"]);
  const start = time(times?.["start"]);
  const end = time(times?.["end"]);
  const verdict = status === "error" ? errorStatus(error ?? "", metadata) : outputStatus(name, exit, output);
  const body: ToolFinishedBody = {
    type: "tool_finished",
    call_id: call,
    status: verdict,
    exit_code: exit,
    duration_ms: start !== null && end !== null && end >= start ? end - start : null,
  };
  const message = error ?? (name === "invalid" ? str(obj(state["input"])?.["error"]) : null);
  if (message !== null) body.error = message;
  if (full) body.output = output;
  if (metadata?.["truncated"] === true) body.truncated = true;
  const files = verdict === "ok" ? touched(name, obj(state["input"]), metadata) : [];
  if (files.length > 0) body.files = files;
  return body;
}

function errorStatus(error: string, metadata: Native | null): ToolStatus {
  if (metadata?.["interrupted"] === true || error.startsWith(CUT_OFF)) return "interrupted";
  return DENIED.some((sentence) => error.startsWith(sentence)) ? "denied" : "failed";
}

/** OpenCode reports a call as completed whatever the command did; the metadata has its actual outcome. */
function outputStatus(name: string, exit: number | null, output: string): ToolStatus {
  if (name === "invalid") return "failed";
  if (exit !== null) return exit === 0 ? "ok" : "failed";
  const tail = output.slice(-600);
  if (tail.includes(ABORTED_SHELL)) return "interrupted";
  return tail.includes(TIMED_OUT) ? "failed" : "ok";
}

function touched(name: string, input: Native | null, metadata: Native | null): TouchedFile[] {
  const path = nonEmpty(input?.["filePath"]) ?? nonEmpty(metadata?.["filepath"]);
  switch (name) {
    case "write":
      return path === null ? [] : [{ path, operation: metadata?.["exists"] === false ? "created" : "modified" }];
    case "edit":
    case "multiedit": {
      if (path === null) return [];
      // `edit` with an empty search text creates the file.
      return [{ path, operation: name === "edit" && input?.["oldString"] === "" ? "created" : "modified" }];
    }
    case "patch":
    case "apply_patch":
      return list(metadata?.["files"]).flatMap(patched);
    default:
      return [];
  }
}

const OPERATIONS: Readonly<Record<string, TouchedFile["operation"]>> = {
  add: "created",
  update: "modified",
  delete: "deleted",
  move: "renamed",
};

function patched(value: unknown): TouchedFile[] {
  const file = obj(value);
  const path =
    nonEmpty(file?.["movePath"]) ?? nonEmpty(file?.["filePath"]) ?? nonEmpty(file?.["relativePath"]) ?? nonEmpty(value);
  if (path === null) return [];
  return [{ path, operation: OPERATIONS[str(file?.["type"]) ?? ""] ?? "modified" }];
}
