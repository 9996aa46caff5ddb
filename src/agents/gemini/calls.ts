/** Calls and their settlement. */
import type { ChildLinkedBody, RecordBody, ToolFinishedBody, ToolStatus, TouchedFile } from "../../record/record.ts";
import { list, obj, str, type Native } from "../kit/native.ts";
import { failureOf, finishedBody, type Answer } from "./family.ts";
import { SOURCE_ID, partsOf, type ReaderState } from "./native.ts";

const SHELLS: ReadonlySet<string> = new Set(["run_shell_command"]);
/** The last lines of a shell result; a command may print such a line itself, so only the very end counts. */
const EXIT =
  /\nExit Code: (-?\d+|\(none\))(?:\nSignal: [^\n]*)?(?:\nBackground PIDs: [^\n]*)?(?:\nProcess Group PGID: [^\n]*)?$/;
/** Up to 0.24, signal 0 is stated for a command that received none. */
const SIGNAL = /\nSignal: (?!\(none\)|0\n|0$)[^\n]+(?:\nBackground PIDs: [^\n]*)?(?:\nProcess Group PGID: [^\n]*)?$/;
const DENIED =
  /(?:User (?:denied|rejected|did not allow)|denied by (?:policy|user)|Reason: Denied|Tool execution denied|not allowed by policy)/i;
function answerOf(result: unknown): Answer {
  const answer: Answer = { text: "", error: false };
  for (const part of partsOf(result)) {
    const response = obj(obj(part["functionResponse"])?.["response"]);
    const error = str(response?.["error"]);
    if (error !== null) answer.error = true;
    answer.text += error ?? str(response?.["output"]) ?? str(response?.["content"]) ?? str(part["text"]) ?? "";
  }
  return answer;
}

/** `null` while the call has not ended. Only versions before the JSONL format write running calls. */
function statusOf(native: string | null, name: string, answer: Answer): ToolStatus | null {
  const failure = failureOf(native, answer, () => DENIED.test(answer.text));
  if (failure !== null) return failure;
  if (native !== null && native !== "success") return null;
  // To Gemini CLI a command that failed is a success: the tool itself worked.
  if (!SHELLS.has(name)) return "ok";
  const exit = exitCode(answer.text);
  return (exit !== null && exit !== 0) || SIGNAL.test(unwrapped(answer.text)) ? "failed" : "ok";
}

function unwrapped(text: string): string {
  return text.replace(/\s*(?:<\/untrusted_context>)?\s*$/, "");
}

function exitCode(text: string): number | null {
  const code = Number(EXIT.exec(unwrapped(text))?.[1]);
  return Number.isInteger(code) ? code : null;
}

/** Whether this copy of the message has something new about its calls. */
export function hasNewCalls(record: Native, state: ReaderState): boolean {
  return list(record["toolCalls"]).some((item) => {
    const call = obj(item);
    const id = str(call?.["id"]);
    return id !== null && state.calls.get(id) !== (str(call?.["status"]) ?? "");
  });
}

/** The calls a message lists, with their settlements. */
export function settleCalls(record: Native, state: ReaderState, full: boolean): RecordBody[] {
  const out: RecordBody[] = [];
  for (const item of list(record["toolCalls"])) {
    const call = obj(item);
    const id = str(call?.["id"]);
    if (!call || id === null) continue;
    const native = str(call["status"]) ?? "";
    const before = state.calls.get(id);
    if (before === native) continue;
    state.calls.set(id, native);
    const name = str(call["name"]) ?? "";
    if (before === undefined)
      out.push({ type: "tool_started", call_id: id, name, input: full ? (call["args"] ?? null) : null });
    const answer = answerOf(call["result"]);
    const status = statusOf(native === "" ? null : native, name, answer);
    if (status === null) continue;
    out.push(finished(id, name, status, answer, touched(call, status), full), ...children(call, id));
  }
  return out;
}

/** If every call of a message was cancelled, Gemini CLI does not ask the model again: the human stopped the turn. */
export function stoppedByHuman(record: Native): boolean {
  const calls = list(record["toolCalls"]);
  return calls.length > 0 && calls.every((call) => obj(call)?.["status"] === "cancelled");
}

/** Results sent back to the model. They repeat the message before; only calls it left open are settled here. */
export function settleResponses(record: Native, state: ReaderState, full: boolean): RecordBody[] {
  const out: RecordBody[] = [];
  for (const part of partsOf(record["content"])) {
    const response = obj(part["functionResponse"]);
    const id = str(response?.["id"]);
    if (!response || id === null) continue;
    const knownStatus = state.calls.get(id);
    if (knownStatus === "success" || knownStatus === "error" || knownStatus === "cancelled") continue;
    const name = str(response["name"]) ?? "";
    const answer = answerOf([part]);
    state.calls.set(id, answer.error ? "error" : "success");
    out.push(finished(id, name, statusOf(null, name, answer) ?? "ok", answer, [], full));
  }
  return out;
}

function finished(
  call_id: string,
  name: string,
  status: ToolStatus,
  answer: Answer,
  files: TouchedFile[],
  full: boolean,
): ToolFinishedBody {
  const exit_code = SHELLS.has(name) ? exitCode(answer.text) : null;
  const truncated = answer.text.startsWith("Output too large.");
  return finishedBody({ call_id, status, exit_code, duration_ms: null }, answer, { full, truncated, files });
}

function touched(call: Native, status: ToolStatus): TouchedFile[] {
  const display = obj(call["resultDisplay"]);
  if (status !== "ok" || !display || !("fileDiff" in display)) return [];
  const path = str(display["filePath"]) ?? str(obj(call["args"])?.["file_path"]) ?? str(display["fileName"]);
  if (path === null) return [];
  const created = display["isNewFile"] === true || display["originalContent"] === null;
  return [{ path, operation: created ? "created" : "modified" }];
}

/** A subagent's id is known only from the result, so its start and its end are reported together. */
function children(call: Native, id: string): ChildLinkedBody[] {
  const agent = str(call["agentId"]);
  if (agent === null) return [];
  const child = { source: SOURCE_ID, session_id: agent };
  const role = str(obj(call["args"])?.["agent_name"]) ?? str(obj(call["resultDisplay"])?.["agentName"]);
  return (["spawned", "returned"] as const).map((phase) => ({
    type: "child_linked",
    child,
    relation: "subagent",
    phase,
    role,
    call_id: id,
  }));
}
