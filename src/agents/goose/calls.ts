import type { RecordBody, ToolFinishedBody, ToolStatus, TouchedFile } from "../../record/record.ts";
import { SOURCE_ID, exitOf } from "./native.ts";
import { list, nonEmpty, obj, str, type Native } from "../kit/native.ts";

const DECLINED = "The user has declined to run this tool";
const INTERRUPTED = "Interrupted by the user";
const MALFORMED = "(malformed call)";

/** A call. If its arguments could not be parsed, it was never run and is reported as failed at once. */
export function requestRecords(node: Native, full: boolean): RecordBody[] {
  const id = str(node["id"]) ?? "";
  const call = obj(node["toolCall"]);
  const value = obj(call?.["value"]);
  const name = nonEmpty(value?.["name"]);
  const input = value?.["arguments"] ?? null;
  const started: RecordBody = {
    type: "tool_started",
    call_id: id,
    name: name ?? MALFORMED,
    input: full || name === "delegate" ? input : null,
  };
  if (call?.["status"] !== "error") return [started];
  const error = errorText(call["error"]);
  const body: ToolFinishedBody = {
    type: "tool_finished",
    call_id: id,
    status: "failed",
    exit_code: null,
    duration_ms: null,
    error,
  };
  return [started, body];
}

/** What is needed from a call to read its response. */
export interface OpenCall {
  name: string;
  path: string | null;
  command: string | null;
}

export function openCall(node: Native): OpenCall | null {
  const value = obj(obj(node["toolCall"])?.["value"]);
  const name = nonEmpty(value?.["name"]);
  if (name === null) return null;
  const input = obj(value?.["arguments"]);
  return { name, path: nonEmpty(input?.["path"]), command: nonEmpty(input?.["command"]) };
}

/** The result of a call: `success` only says that the tool returned; the actual outcome is inside. */
export function responseRecords(node: Native, call: OpenCall | null, full: boolean): RecordBody[] {
  const id = str(node["id"]) ?? "";
  const result = obj(node["toolResult"]);
  const value = obj(result?.["value"]);
  // Before MCP results were stored whole, `value` was the list of contents itself.
  const contents = value ? list(value["content"]) : list(result?.["value"]);
  const output = outputOf(contents);
  const failed = result?.["status"] === "error";
  const error = failed ? errorText(result["error"]) : null;
  const exit = exitOf(value);
  const status = statusOf(failed, error ?? output, value, exit);
  const body: ToolFinishedBody = { type: "tool_finished", call_id: id, status, exit_code: exit, duration_ms: null };
  if (error !== null) body.error = error;
  else if (status !== "ok") body.error = output.slice(0, 2000);
  if (full) body.output = output;
  if (/\[Output exceeded \d+ (?:line|byte)/.test(output)) body.truncated = true;
  const files = status === "ok" && call ? touched(call, output) : [];
  if (files.length > 0) body.files = files;
  const out: RecordBody[] = [];
  const child = childOf(value, node);
  const link = { type: "child_linked", relation: "subagent", call_id: id } as const;
  if (child !== null) out.push({ ...link, child: { source: SOURCE_ID, session_id: child }, phase: "spawned" });
  out.push(body);
  if (child !== null) out.push({ ...link, child: { source: SOURCE_ID, session_id: child }, phase: "returned" });
  return out;
}

function statusOf(failed: boolean, text: string, value: Native | null, exit: number | null): ToolStatus {
  if (text.startsWith(DECLINED)) return "denied";
  if (text.includes(INTERRUPTED) && failed) return "interrupted";
  if (failed || value?.["isError"] === true) return "failed";
  return exit !== null && exit !== 0 ? "failed" : "ok";
}

/** Before `sessions.parent_session_id`, the result of the delegate tool was the only trace of the child. */
function childOf(value: Native | null, node: Native): string | null {
  for (const meta of [obj(value?.["_meta"]), obj(value?.["meta"]), obj(node["_meta"]), obj(node["metadata"])]) {
    const id = nonEmpty(meta?.["subagent_session_id"]);
    if (id !== null) return id;
  }
  return null;
}

/** Tools may return two versions, one for the model and one for the human; the model's version is the result. */
function outputOf(contents: readonly unknown[]): string {
  const texts: string[] = [];
  for (const value of contents) {
    const node = obj(value);
    const text = str(node?.["text"]) ?? str(obj(node?.["resource"])?.["text"]);
    if (text === null) continue;
    const audience = list(obj(node?.["annotations"])?.["audience"]);
    if (audience.length === 0 || audience.includes("assistant")) texts.push(text);
  }
  return texts.join("\n");
}

function errorText(error: unknown): string {
  const message = str(error) ?? str(obj(error)?.["message"]);
  return message ?? (error === undefined ? "error" : JSON.stringify(error));
}

function touched(call: OpenCall, output: string): TouchedFile[] {
  const { path } = call;
  if (path === null) return [];
  const tool = call.name.split("__").at(-1) ?? call.name;
  if (tool === "write") return [{ path, operation: output.startsWith("Created") ? "created" : "modified" }];
  if (tool === "edit") return [{ path, operation: "modified" }];
  if (tool !== "text_editor") return [];
  if (call.command === "write" || call.command === "str_replace" || call.command === "insert")
    return [{ path, operation: "modified" }];
  return [];
}
