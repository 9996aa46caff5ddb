/** Responses with their calls, how calls are settled, and the sub-agents that some of them start. */
import { closeSync, fstatSync, readSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { quickHash } from "../../base/io/hash.ts";
import { openFile } from "../../base/io/regular-file.ts";
import type {
  AssistantFinishedBody,
  ChildLinkedBody,
  RecordBody,
  ToolFinishedBody,
  ToolStatus,
  TouchedFile,
} from "../../record/record.ts";
import { num, obj, str, type Native } from "../kit/native.ts";
import { subagentLink } from "../kit/subagent-link.ts";
import { parentFromPath, sessionIdFromPath, SOURCE_ID } from "./discover.ts";
import { insideTag, rawText } from "./markers.ts";
import { blocksOf, isSince, type Block } from "./native.ts";
import type { ReaderState } from "./state.ts";
import { isRefusal, resultText } from "./triggers.ts";

/**
 * Stop reasons after which Claude Code sends no further request. Not `max_tokens`: there it asks the model to go on.
 */
const ENDING: ReadonlySet<string> = new Set(["end_turn", "stop_sequence", "refusal"]);

interface AssistantContext {
  full: boolean;
  /** The record belongs to a subagent inside the main file: its end is not the turn's. */
  inline: boolean;
}

/** The record was made by the client: an error message, or filler after a killed run. */
export function isSynthetic(record: Native): boolean {
  return str(obj(record["message"])?.["model"]) === "<synthetic>";
}

function isCall(block: Block): boolean {
  return block.type === "tool_use" || block.type === "server_tool_use" || block.type === "mcp_tool_use";
}

/** The canonical records of one assistant line, without its usage. */
export function assistantRecords(record: Native, state: ReaderState, ctx: AssistantContext): RecordBody[] {
  const message = obj(record["message"]);
  const blocks = blocksOf(message);
  if (record["isApiErrorMessage"] === true) return apiError(record, blocks, state, ctx);
  if (isSynthetic(record)) return filler(blocks, state, ctx);
  const stop = str(message?.["stop_reason"]);
  const ends = !ctx.inline && stop !== null && ENDING.has(stop);
  if (!ctx.inline) noteUnstatedEnd(str(message?.["id"]), state);
  const unfinished = ends ? {} : { unfinished: !mayBeOver(record, stop, state) };
  const out: RecordBody[] = [];
  let said = false;
  for (const block of newBlocks(blocks, record, message, state)) {
    if (block.type === "text") {
      said = true;
      out.push({ ...reply(message, str(block["text"]) ?? "", stop, ends, ctx.full), ...unfinished });
    } else if (block.type === "thinking") {
      const text = str(block["thinking"]) ?? "";
      if (text !== "") out.push({ type: "reasoning_finished", text: ctx.full ? text : "" });
    } else if (isCall(block)) startCall(block, state, ctx.full, out);
    else serverResult(block, ctx.full, out);
  }
  // A reply may end on a line without text; the end of the turn must be reported nevertheless.
  if (ends && !said) out.push(reply(message, "", stop, true, ctx.full));
  if (!ctx.inline) {
    state.turn = ends ? "completed" : "running";
    state.voice.last = str(message?.["id"]);
    state.unanswered = false;
    state.stop = { reason: stop, version: str(record["version"]) };
  }
  return out;
}

/** Claude Code writes this on resume if the last prompt or tool result got no answer: the turn before was cut off. */
function filler(blocks: readonly Block[], state: ReaderState, ctx: AssistantContext): RecordBody[] {
  if (ctx.inline || !state.unanswered || state.turn !== "running") return [];
  if (rawText(blocks).trim() !== "No response requested.") return [];
  state.turn = "interrupted";
  state.stop = null;
  return [{ type: "cancelled", reason: "interrupted", assumed: true }];
}

function reply(
  message: Native | null,
  text: string,
  stop: string | null,
  ends: boolean,
  full: boolean,
): AssistantFinishedBody {
  const body: AssistantFinishedBody = {
    type: "assistant_finished",
    message_id: str(message?.["id"]),
    model: str(message?.["model"]),
    text: full ? text : "",
  };
  if (stop !== null) body.finish_reason = stop;
  if (ends) body.turn_ended = true;
  return body;
}

function startCall(block: Block, state: ReaderState, full: boolean, out: RecordBody[]): void {
  const id = str(block["id"]);
  if (id === null || !state.calls.add(id)) return;
  const name = str(block["name"]) ?? "";
  noteSpawn(id, name, block["input"], state);
  noteEdit(id, name, block["input"], state);
  out.push({ type: "tool_started", call_id: id, name, input: full ? (block["input"] ?? null) : null });
}

/** Tools run by the provider answer inside the same message: `web_search_tool_result` and the like. */
function serverResult(block: Block, full: boolean, out: RecordBody[]): void {
  const id = str(block["tool_use_id"]);
  if (id === null || !block.type.endsWith("tool_result")) return;
  const failed = block["is_error"] === true || (str(obj(block["content"])?.["type"]) ?? "").endsWith("_error");
  out.push({
    type: "tool_finished",
    call_id: id,
    status: failed ? "failed" : "ok",
    exit_code: null,
    duration_ms: null,
    ...(full ? { output: rawText(blocksOf(block)) } : {}),
  });
}

function apiError(record: Native, blocks: readonly Block[], state: ReaderState, ctx: AssistantContext): RecordBody[] {
  const code = str(record["error"]) ?? str(record["apiErrorType"]) ?? num(record["apiErrorStatus"])?.toString() ?? null;
  if (!ctx.inline) {
    state.turn = "failed";
    state.stop = null;
  }
  return [{ type: "failed", message: rawText(blocks), code, turn_ended: !ctx.inline }];
}

/** A request that Claude Code retries by itself (`system/api_error`). */
export function retryRecord(record: Native): RecordBody {
  const error = obj(record["error"]);
  const inner = obj(obj(error?.["error"])?.["error"]) ?? obj(error?.["error"]);
  const message =
    str(error?.["formatted"]) ??
    str(error?.["message"]) ??
    str(inner?.["message"]) ??
    str(record["content"]) ??
    "API error";
  const code = num(error?.["status"])?.toString() ?? str(inner?.["type"]) ?? str(obj(record["cause"])?.["code"]);
  return { type: "failed", message, code, turn_ended: false };
}

/**
 * The blocks of this line that no earlier line of the same message held. Lines normally carry one block each, but some
 * versions write cumulative snapshots; a text that extends an earlier one yields only its new end.
 */
function newBlocks(
  blocks: readonly Block[],
  record: Native,
  message: Native | null,
  state: ReaderState,
): readonly Block[] {
  const id = str(message?.["id"]);
  if (id === null || blocks.every((block) => isCall(block))) return blocks;
  const index = num(record["apiBlockIndex"]);
  const seen = state.blocks.get(id) ?? [];
  const keys = [...seen];
  const out: Block[] = [];
  for (const block of blocks) {
    const field = block.type === "text" ? "text" : block.type === "thinking" ? "thinking" : null;
    if (field === null) {
      out.push(block);
      continue;
    }
    const text = str(block[field]) ?? "";
    const key = `${field}:${index ?? ""}:${text.length}:${digest(text)}`;
    if (keys.includes(key)) continue;
    const shorter = seen.find((old) => extendsText(old, field, index, text));
    if (shorter !== undefined) keys.splice(keys.indexOf(shorter), 1);
    keys.push(key);
    out.push(shorter === undefined ? block : { ...block, [field]: text.slice(lengthOf(shorter)) });
  }
  state.blocks.set(id, keys);
  return out;
}

function lengthOf(key: string): number {
  return Number(key.split(":")[2]);
}

function extendsText(key: string, field: string, index: number | null, text: string): boolean {
  const [type, at, length, hash] = key.split(":");
  const size = Number(length);
  if (type !== field || at !== String(index ?? "") || size === 0 || size >= text.length) return false;
  return digest(text.slice(0, size)) === hash;
}

export function digest(text: string): string {
  return quickHash(text);
}

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

interface SettleContext {
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

/** Maximum number of bytes read from a side file. */
const MAX_BYTES = 1 << 20;
const SAVED = /Full output saved to: ([^\n]+)/;

interface Output {
  text: string;
  truncated: boolean;
}

/**
 * Where this session stores large results: `<session>/tool-results`; subagents use the directory of their root session.
 */
function ownDirectory(path: string): string {
  const parent = parentFromPath(path);
  if (!parent) return join(dirname(path), sessionIdFromPath(path), "tool-results");
  const at = path.lastIndexOf(`${sep}subagents${sep}`);
  return join(path.slice(0, at), "tool-results");
}

/**
 * The output of a call. Claude Code moves large outputs to a side file and leaves a preview in the record. The side
 * file is read only if it is inside this session's own directory, so that no record can name an arbitrary file.
 */
function outputOf(text: string, persisted: string | null, sessionPath: string): Output {
  const recorded = persisted ?? (text.includes("<persisted-output>") ? (SAVED.exec(text)?.[1]?.trim() ?? null) : null);
  if (recorded === null) return { text, truncated: text.includes("<persisted-output>") };
  return readOwn(recorded, ownDirectory(sessionPath)) ?? { text, truncated: true };
}

/** Compares only the path below the session directory, because stores get moved and copied. */
function readOwn(recorded: string, own: string): Output | null {
  const parts = recorded.split(/[\\/]+/);
  const ownParts = own.split(/[\\/]+/);
  const name = parts.pop() ?? "";
  if (name === "" || name === "." || name === "..") return null;
  if (parts.at(-1) !== "tool-results" || parts.at(-2) !== ownParts.at(-2)) return null;
  try {
    const real = realpathSync(join(own, name));
    return real.startsWith(realpathSync(own) + sep) ? readHead(real) : null;
  } catch {
    return null;
  }
}

function readHead(path: string): Output {
  const file = openFile(path);
  try {
    const size = fstatSync(file).size;
    const buffer = Buffer.alloc(Math.min(size, MAX_BYTES));
    const read = readSync(file, buffer, 0, buffer.length, 0);
    return { text: buffer.toString("utf8", 0, read), truncated: size > read };
  } finally {
    closeSync(file);
  }
}

const SPAWNERS: ReadonlySet<string> = new Set(["Agent", "Task"]);
const CODEX_THREAD = /\[codex\] Thread ready \(([^)\s]+)\)/g;

/**
 * Remembers the role a subagent was asked for: the record that names the agent's id comes later and may not repeat it.
 */
function noteSpawn(call: string, name: string, input: unknown, state: ReaderState): void {
  if (!SPAWNERS.has(name)) return;
  // Its result may have been written first.
  const known = state.agents.get(call);
  state.agents.set(call, {
    role: str(obj(input)?.["subagent_type"]) ?? known?.role ?? null,
    agent: known?.agent ?? null,
  });
}

/** Links stated by the result of a subagent call: a launch receipt starts the child, a complete result also ends it. */
function childrenOfResult(call: string, result: Native | null, state: ReaderState): ChildLinkedBody[] {
  const agent = str(result?.["agentId"]) ?? str(result?.["agent_id"]);
  if (!result || agent === null) return [];
  const known = state.agents.get(call);
  const role = str(result["agentType"]) ?? str(result["agent_type"]) ?? known?.role ?? null;
  const out: ChildLinkedBody[] = [];
  if (known?.agent !== agent) out.push(subagentLink(SOURCE_ID, agent, "spawned", role, call));
  state.agents.set(call, { role, agent });
  const launched = result["isAsync"] === true || /launched|spawned/.test(str(result["status"]) ?? "");
  if (!launched) out.push(subagentLink(SOURCE_ID, agent, "returned", role, call));
  return out;
}

/** `progress/agent_progress` names the agent of a call while it still runs. */
export function childOfProgress(record: Native, state: ReaderState): ChildLinkedBody[] {
  const agent = str(obj(record["data"])?.["agentId"]);
  const call = str(record["parentToolUseID"]);
  if (agent === null || call === null) return [];
  const known = state.agents.get(call);
  if (known?.agent === agent) return [];
  const role = known?.role ?? null;
  state.agents.set(call, { role, agent });
  return [subagentLink(SOURCE_ID, agent, "spawned", role, call)];
}

/**
 * The end of a background agent arrives as a notification. Shell tasks send the same notification, but are not
 * children.
 */
export function childOfNotification(text: string, state: ReaderState): ChildLinkedBody[] {
  const task = (insideTag(text, "task-id") ?? insideTag(text, "agent-id"))?.trim() ?? "";
  const call = insideTag(text, "tool-use-id")?.trim() ?? null;
  if (task === "") return [];
  const known = call === null ? undefined : state.agents.get(call);
  const agent = known?.agent ?? null;
  // A resumed session reports agents of its killed process without the calls that started them.
  const isAgent =
    agent === task || known !== undefined || /^(?:Background agent|Agent) "/.test(insideTag(text, "summary") ?? "");
  return isAgent ? [subagentLink(SOURCE_ID, agent ?? task, "returned", known?.role ?? null, call)] : [];
}

/** The Codex plug-in prints the id of the thread it opened, which is a companion session of another source. */
function companionsIn(text: string, call: string): ChildLinkedBody[] {
  if (!text.includes("[codex] Thread ready")) return [];
  const out: ChildLinkedBody[] = [];
  for (const match of text.matchAll(CODEX_THREAD)) {
    const child = { source: "codex", session_id: match[1] ?? "" };
    for (const phase of ["spawned", "returned"] as const)
      out.push({ type: "child_linked", child, relation: "companion", phase, role: null, call_id: call });
  }
  return out;
}

/** Where a response stopped: the reason its last line states, and the release that wrote it. */
export interface Stop {
  reason: string | null;
  version: string | null;
}

/**
 * From this release on (and possibly from 2.1.59 or 2.1.61 on) the last line of a response normally states why it
 * stopped. Before, lines are written as blocks arrive, and state a reason only if the response happened to be over.
 */
const STATES_REASON = [2, 1, 62];

/**
 * Notes whether the response before this one had ended without stating a reason. Something must have been sent to the
 * model since: a stream that broke is requested again at once, and its lines state no reason either.
 */
function noteUnstatedEnd(id: string | null, state: ReaderState): void {
  const { stop } = state;
  if (stop === null || stop.reason !== null || !state.unanswered || id === state.voice.last) return;
  state.silentVersion = stop.version;
}

/**
 * Whether the response may be over with this line. A stated reason other than the end of a turn says that it goes on: a
 * call follows, or the client asks the model to continue. Without a reason that depends on what this release writes.
 */
function mayBeOver(record: Native, reason: string | null, state: ReaderState): boolean {
  if (reason !== null || record["isAbortedMidStream"] === true) return false;
  const version = str(record["version"]);
  return !isSince(version, STATES_REASON) || version === state.silentVersion;
}
