import type { RecordBody, ToolFinishedBody, ToolStatus, TouchedFile } from "../../record/record.ts";
import { childrenOfResult, companionsIn } from "./children.ts";
import { type Block } from "./native.ts";
import { num, obj, str, type Native } from "../kit/native.ts";
import { outputOf } from "./output.ts";
import type { ReaderState } from "./state.ts";
import { isRefusal, resultText } from "./triggers.ts";

const EDITORS: ReadonlySet<string> = new Set(["Edit", "MultiEdit", "NotebookEdit", "Write"]);
const EXIT_CODE = /^(?:Error: )?Exit code (\d+)/;
const DENIED =
  /^(?:Permission (?:to use .{1,2000}|for this (?:tool use|action|command)) (?:has been|was) denied|Claude requested permissions to |This command requires approval|This Bash command contains multiple operations\. The following parts? requires? approval|PreToolUse:\S{1,200} hook error|Hook PreToolUse:\S{1,200} denied this tool)/s;
/** The human rejected the plan. */
const PLAN_REFUSED =
  /^(?:User chose to stay in plan mode|User rejected (?:Claude's|the) plan|The agent proposed a plan that was rejected by the user)/;
/**
 * Up to 2.1.88, Escape makes a killed command print its exit code before this marker, which ends what it wrote to
 * stderr; what it wrote to stdout follows. A command that prints the marker itself was not killed by a signal.
 */
const CUT_OFF = /\n\[Request interrupted by user(?: for tool use)?\]\s*$/;
const KILLED =
  /^(?:Error: )?Exit code (?:129|1[3-9]\d|2\d\d)\n(?:[\s\S]*\n)?\[Request interrupted by user(?: for tool use)?\]\n/;
const STOPPED =
  /^(?:\[Request interrupted by user|Interrupted by user|The user interrupted|Command was aborted before completion)/;

/** Remembers which file a call edits, because results of subagents do not repeat it. */
export function noteEdit(call: string, name: string, input: unknown, state: ReaderState): void {
  if (!EDITORS.has(name)) return;
  const path = str(obj(input)?.["file_path"]) ?? str(obj(input)?.["notebook_path"]);
  if (path !== null) state.edits.set(call, [name, path]);
}

/** Whether the status of this record depends on the interrupt marker that may follow it. */
export function needsInterruptMarker(record: Native, blocks: readonly Block[]): boolean {
  const kind = str(record["toolDenialKind"]);
  if (kind !== null && kind !== "user-rejected") return false;
  return blocks.some((block) => block.type === "tool_result" && isRefusal(resultText(block)));
}

export interface SettleContext {
  /** The refusal text was written because running work was interrupted. */
  interrupted: boolean;
  full: boolean;
  sessionPath: string;
}

/** Settles the calls whose results are in this record, and reports the children and files that the results name. */
export function settle(record: Native, blocks: readonly Block[], state: ReaderState, ctx: SettleContext): RecordBody[] {
  const out: RecordBody[] = [];
  const results = blocks.filter((block) => block.type === "tool_result");
  for (const block of results) {
    const call = str(block["tool_use_id"]);
    if (call === null) continue;
    // `toolUseResult` describes a single result; with several results in the record it is unclear which one.
    const raw = results.length === 1 ? record["toolUseResult"] : undefined;
    const result = obj(raw);
    const text = resultText(block);
    const status = statusOf(record, block, result, text, ctx.interrupted);
    out.push(finished(call, status, text, result, state, ctx));
    out.push(...childrenOfResult(call, result, state), ...companionsIn(text, call));
  }
  return out;
}

function statusOf(record: Native, block: Block, result: Native | null, text: string, interrupted: boolean): ToolStatus {
  if (str(record["toolDenialKind"]) === "interrupted") return "interrupted";
  if (isRefusal(text)) return interrupted ? "interrupted" : "denied";
  if (result?.["interrupted"] === true || STOPPED.test(text)) return "interrupted";
  if (STOPPED.test(str(record["toolUseResult"])?.replace(/^Error: /, "") ?? "")) return "interrupted";
  if (str(record["toolDenialKind"]) !== null) return "denied";
  if (block["is_error"] !== true) return "ok";
  if (CUT_OFF.test(text) || KILLED.test(text)) return "interrupted";
  return DENIED.test(text) || PLAN_REFUSED.test(text) ? "denied" : "failed";
}

function finished(
  call: string,
  status: ToolStatus,
  text: string,
  result: Native | null,
  state: ReaderState,
  ctx: SettleContext,
): ToolFinishedBody {
  const exit = EXIT_CODE.exec(text)?.[1];
  const body: ToolFinishedBody = {
    type: "tool_finished",
    call_id: call,
    status,
    exit_code: status === "failed" && exit !== undefined ? Number(exit) : null,
    duration_ms: num(result?.["durationMs"]) ?? num(result?.["totalDurationMs"]),
  };
  if (ctx.full) {
    const output = outputOf(text, str(result?.["persistedOutputPath"]), ctx.sessionPath);
    body.output = output.text;
    if (output.truncated) body.truncated = true;
    if (status !== "ok") body.error = unwrapError(text);
  }
  const files = status === "ok" ? touchedFiles(call, text, result, state) : [];
  if (files.length > 0) body.files = files;
  return body;
}

function unwrapError(text: string): string {
  return text.replace(/^<tool_use_error>/, "").replace(/<\/tool_use_error>$/, "");
}

/** Files touched by a successful edit. `originalFile: null` means that the file did not exist before. */
function touchedFiles(call: string, text: string, result: Native | null, state: ReaderState): TouchedFile[] {
  const edit = state.edits.get(call);
  const stated = str(result?.["filePath"]) ?? str(result?.["notebook_path"]);
  const isEdit =
    result !== null &&
    ("structuredPatch" in result || "oldString" in result || "new_source" in result || "edits" in result);
  const path = stated !== null && (isEdit || edit) ? stated : (edit?.[1] ?? null);
  if (path === null) return [];
  const created =
    result?.["type"] === "create" ||
    (result?.["type"] === undefined &&
      result !== null &&
      "originalFile" in result &&
      result["originalFile"] === null) ||
    (result === null && edit?.[0] === "Write" && text.startsWith("File created"));
  return [{ path, operation: created ? "created" : "modified" }];
}
