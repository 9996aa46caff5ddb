/** Calls, their settlement, and the sub-agents that some of them start. */
import type { ChildLinkedBody, RecordBody, ToolFinishedBody, ToolStatus, TouchedFile } from "../../record/record.ts";
import { failureOf, finishedBody, isStopped, type Answer } from "../gemini/family.ts";
import { num, obj, str, type Native } from "../kit/native.ts";
import { subagentLink } from "../kit/subagent-link.ts";
import { SOURCE_ID, partsOf, textInTag, type ReaderState } from "./native.ts";

const EDITORS: ReadonlySet<string> = new Set(["edit", "replace", "write_file", "notebook_edit"]);
/** The last lines of a shell result; a command may print such a line itself, so only the very end counts. */
const EXIT =
  /(?:^|\n)Exit Code: (-?\d+)(?:\nSignal: [^\n]*)?(?:\nBackground PIDs: [^\n]*)?(?:\nProcess Group PGID: [^\n]*)?\s*$/;
const DENIED =
  /(?:User (?:denied|rejected|did not allow)|denied by (?:policy|user)|Reason: Denied|permission denied by|requires user approval|Tool execution denied)/i;
/** Remembers a call: its result does not name the tool, and not always the file. */
export function startCall(part: Native, state: ReaderState, full: boolean): RecordBody[] {
  const call = obj(part["functionCall"]);
  const id = str(call?.["id"]);
  if (!call || id === null || state.calls.get(id) !== undefined) return [];
  const name = str(call["name"]) ?? "";
  const args = obj(call["args"]);
  const path = EDITORS.has(name) ? (str(args?.["file_path"]) ?? str(args?.["notebook_path"])) : null;
  state.calls.set(id, [name, path]);
  const role = str(args?.["subagent_type"]);
  if (role !== null) state.roles.set(id, role);
  return [{ type: "tool_started", call_id: id, name, input: full ? (call["args"] ?? null) : null }];
}

function answerOf(response: Native | null): Answer {
  const error = str(response?.["error"]);
  return { text: error ?? str(response?.["output"]) ?? "", error: error !== null };
}

/** Whether the human stopped every call whose result is in this record. */
export function isCancelled(record: Native): boolean {
  const responses = partsOf(record).flatMap((part): Native[] => {
    const response = obj(part["functionResponse"]);
    return response ? [response] : [];
  });
  return responses.length > 0 && responses.every((one) => isStopped(answerOf(obj(one["response"]))));
}

/** The settlements of the calls whose results are in this record. */
export function settle(record: Native, state: ReaderState, full: boolean): RecordBody[] {
  const out: RecordBody[] = [];
  const result = obj(record["toolCallResult"]);
  const parts = partsOf(record).filter((part) => obj(part["functionResponse"]) !== null);
  for (const part of parts) {
    const response = obj(part["functionResponse"]);
    const id = str(response?.["id"]) ?? str(result?.["callId"]);
    if (id === null) continue;
    // The detail describes one call; if there are several results, only that call's result may use it.
    const detail = parts.length === 1 || str(result?.["callId"]) === id ? result : null;
    out.push(finished(id, answerOf(obj(response?.["response"])), detail, state, full));
    out.push(...childrenOfResult(id, detail, answerOf(obj(response?.["response"])).text, state));
  }
  return out;
}

function finished(
  call_id: string,
  answer: Answer,
  detail: Native | null,
  state: ReaderState,
  full: boolean,
): ToolFinishedBody {
  const display = obj(detail?.["resultDisplay"]);
  const exit_code = num(display?.["exitCode"]) ?? exitCode(answer.text);
  const status = statusOf(detail, answer, exit_code);
  const duration_ms = num(detail?.["durationMs"]) ?? state.durations.get(call_id) ?? null;
  const truncated = display?.["truncated"] === true || answer.text.startsWith("Tool output was too large");
  const files = status === "ok" ? touched(call_id, display, state) : [];
  return finishedBody({ call_id, status, exit_code, duration_ms }, answer, { full, truncated, files });
}

function statusOf(detail: Native | null, answer: Answer, exit: number | null): ToolStatus {
  const native = str(detail?.["status"]);
  const isDenied = (): boolean => DENIED.test(answer.text) || /denied/.test(str(detail?.["errorType"]) ?? "");
  // Older versions called every command that ran a success, whatever it returned.
  return failureOf(native, answer, isDenied) ?? (exit !== null && exit !== 0 ? "failed" : "ok");
}

function exitCode(text: string): number | null {
  const code = Number(EXIT.exec(text)?.[1]);
  return Number.isInteger(code) ? code : null;
}

/** Telemetry states how long a call took, and its end even if the agent died before the result was written. */
export function settleByTelemetry(event: Native, state: ReaderState): RecordBody[] {
  const id = str(event["call_id"]);
  if (id === null || state.calls.get(id) === undefined) return [];
  const duration = num(event["duration_ms"]);
  if (duration !== null) state.durations.set(id, duration);
  const error = str(event["error"]) ?? "";
  const detail = { status: str(event["status"]), errorType: str(event["error_type"]) };
  const exit = exitCode(error);
  const status = statusOf(detail, { text: error, error: event["success"] === false }, exit);
  return [{ type: "tool_finished", call_id: id, status, exit_code: exit, duration_ms: duration }];
}

function touched(call: string, display: Native | null, state: ReaderState): TouchedFile[] {
  const path = state.calls.get(call)?.[1] ?? null;
  if (path === null) return [];
  const before = display?.["originalContent"];
  const created = before === null || before === "" || display?.["isNewFile"] === true;
  return [{ path, operation: created ? "created" : "modified" }];
}

const LAUNCHED = /(?:^|\n)task_id: (\S+)/;

/** Links stated by the result of a subagent call: a launch receipt starts the child, a full result also ends it. */
function childrenOfResult(call: string, detail: Native | null, text: string, state: ReaderState): ChildLinkedBody[] {
  const display = obj(detail?.["resultDisplay"]);
  if (display?.["type"] !== "task_execution") return [];
  const role = str(display["subagentName"]) ?? state.roles.get(call) ?? null;
  // Agents are named after the role and the call that started them; a receipt has the full name.
  const agent = LAUNCHED.exec(text)?.[1] ?? `${role ?? "agent"}-${call}`;
  const spawned = subagentLink(SOURCE_ID, agent, "spawned", role, call);
  return display["status"] === "background"
    ? [spawned]
    : [spawned, subagentLink(SOURCE_ID, agent, "returned", role, call)];
}

/** The end of a background agent arrives as a message in the user's name. */
export function childOfNotification(record: Native, text: string, state: ReaderState): ChildLinkedBody[] {
  const task = obj(obj(record["systemPayload"])?.["backgroundTask"]);
  const id = textInTag(text, "task-id")?.trim() ?? str(task?.["taskId"]);
  const call = textInTag(text, "tool-use-id")?.trim() ?? str(task?.["toolUseId"]);
  if (!id) return [];
  const role = call === null ? null : (state.roles.get(call) ?? null);
  const isAgent = task ? task["kind"] === "agent" : role !== null || /<summary>Agent "/.test(text);
  return isAgent ? [subagentLink(SOURCE_ID, id, "returned", role, call)] : [];
}
