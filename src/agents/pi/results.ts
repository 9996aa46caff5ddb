import type { FileOperation, ToolFinishedBody, ToolStatus } from "../../record/record.ts";
import { textOf } from "./native.ts";
import { num, obj, str, type Native } from "../kit/native.ts";
import type { Scene } from "./verdict.ts";

/** How pi's own tools word the end of a call. There is no field for it: a result has only `isError`. */
const EXIT = /Command exited with code (\d+)\s*$/;
const ABORTED = /(?:^|\n)(?:Command aborted|Operation aborted|Tool execution aborted)\s*$/;
/** Written for calls that never ran, because the human typed something first. */
const SKIPPED = /^Skipped due to queued user message/;
const BLOCKED = /^Tool execution was blocked/;
/** `write` creates or replaces and does not say which. */
const WRITERS: ReadonlyMap<string, FileOperation> = new Map([
  ["write", "modified"],
  ["edit", "modified"],
]);

export function fileOf(name: string, input: unknown): string | null {
  const args = obj(input);
  return WRITERS.has(name) ? (str(args?.["path"]) ?? str(args?.["file_path"])) : null;
}

/** The result of a tool call. */
export function resultBody(message: Native, scene: Scene): ToolFinishedBody {
  const { state, full } = scene;
  const id = str(message["toolCallId"]) ?? "";
  const text = textOf(message["content"]);
  const call = state.calls.get(id);
  state.calls.delete(id);
  const failed = message["isError"] === true;
  const exit = failed ? EXIT.exec(text)?.[1] : undefined;
  const name = call?.name ?? str(message["toolName"]);
  const body: ToolFinishedBody = {
    type: "tool_finished",
    call_id: id,
    status: failed ? failure(text) : "ok",
    // A bash call that returned without an error ended with 0; other tools have no exit code.
    exit_code: exit !== undefined ? Number(exit) : !failed && name === "bash" ? 0 : null,
    duration_ms: null,
  };
  const operation = WRITERS.get(name ?? "");
  if (!failed && call?.path && operation) body.files = [{ path: call.path, operation }];
  if (!full) return body;
  const truncated = obj(obj(message["details"])?.["truncation"])?.["truncated"] === true;
  return { ...body, output: text, truncated, ...(failed ? { error: text.slice(0, 2000) } : {}) };
}

function failure(text: string): ToolStatus {
  if (ABORTED.test(text) || SKIPPED.test(text)) return "interrupted";
  return BLOCKED.test(text) ? "denied" : "failed";
}

/** The end of a command the human ran with `!`. */
export function shellBody(message: Native, callId: string, full: boolean): ToolFinishedBody {
  const exit = num(message["exitCode"]);
  const status: ToolStatus =
    message["cancelled"] === true ? "interrupted" : exit !== null && exit !== 0 ? "failed" : "ok";
  const body: ToolFinishedBody = {
    type: "tool_finished",
    call_id: callId,
    status,
    exit_code: exit,
    duration_ms: null,
  };
  if (!full) return body;
  return { ...body, output: str(message["output"]) ?? "", truncated: message["truncated"] === true };
}
