import { quickHash } from "../../base/io/hash.ts";
import type { AssistantFinishedBody, RecordBody } from "../../record/record.ts";
import { noteSpawn } from "./children.ts";
import { rawText } from "./markers.ts";
import { blocksOf, type Block } from "./native.ts";
import { num, obj, str, type Native } from "../kit/native.ts";
import { noteEdit } from "./settlement.ts";
import type { ReaderState } from "./state.ts";
import { mayBeOver, noteUnstatedEnd } from "./stops.ts";

/**
 * Stop reasons after which Claude Code sends no further request. Not `max_tokens`: there it asks the model to go on.
 */
const ENDING: ReadonlySet<string> = new Set(["end_turn", "stop_sequence", "refusal"]);

export interface AssistantContext {
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
