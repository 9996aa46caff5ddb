import type { RecordBody, ToolFinishedBody, ToolStartedBody, TouchedFile } from "../../format/record.ts";
import { fieldsOf, listOf, numberOf, parseFields, wordOf } from "./fields.ts";
import { filesOfPatch, filesOfReport } from "./patch.ts";
import type { ClassifyContext } from "./verdict.ts";
import { fromText, type Settlement } from "./settlement.ts";
import { recall, remember, type CallState, type ReaderState } from "./state.ts";

export interface Call {
  id: string;
  name: string;
  /** Arguments as the model wrote them. */
  input: unknown;
  turn: string | null;
}

/** The tool that runs a script, whose commands have their own items (0.166 and later). */
const SCRIPT_TOOL = "exec";
const SCRIPT_CHARS = 2000;
const isClosed = (call: CallState): boolean => !call.open;

export function startCall(ctx: ClassifyContext, call: Call, parent: string | null = null): ToolStartedBody {
  const { state } = ctx;
  const held: CallState = { name: call.name, turn: call.turn, open: true };
  const args = typeof call.input === "string" ? parseFields(call.input) : fieldsOf(call.input);
  if (args !== null) {
    const process = processKey("s", args.session_id) ?? processKey("c", args.cell_id);
    if (process !== null) held.process = process;
    const role = wordOf(args.agent_type) ?? wordOf(args.agent_role) ?? wordOf(args.role);
    if (role !== null) held.role = role;
  }
  // Patches inside a script have their own items.
  const files = call.name === SCRIPT_TOOL ? [] : patchIn(call);
  if (files.length > 0) held.files = files.slice(0, 64);
  if (call.name === SCRIPT_TOOL && typeof call.input === "string") {
    held.script = call.input.slice(0, SCRIPT_CHARS);
    if (runsOne(call.input)) held.single = true;
  }
  remember(state.calls, call.id, held, isClosed);
  const body: ToolStartedBody = {
    type: "tool_started",
    call_id: call.id,
    name: call.name,
    input: ctx.full ? (args ?? call.input ?? null) : null,
  };
  if (call.turn !== null) body.native_turn_id = call.turn;
  if (parent !== null) body.parent_call_id = parent;
  return body;
}

function runsOne(script: string): boolean {
  return script.match(/\btools\b/g)?.length === 1 && /\btools\.\w*(?:exec|shell)\w*\(/.test(script);
}

/**
 * The exit code that a script printed in a separate part of its output. Before commands had their own items (0.146),
 * this is the only evidence of how the command ended.
 */
export function printedExit(output: unknown): number | null {
  const codes = new Set(
    listOf(output).flatMap((part) => {
      const text = wordOf(fieldsOf(part).text)?.trim() ?? "";
      return text.startsWith("{") ? (numberOf(parseFields(text)?.exit_code) ?? []) : [];
    }),
  );
  const [code] = codes;
  return codes.size === 1 && code !== undefined ? code : null;
}

function processKey(prefix: string, value: unknown): string | null {
  const id = wordOf(value) ?? numberOf(value)?.toString() ?? null;
  return id === null ? null : `${prefix}:${id}`;
}

/**
 * Files that a call touches if it succeeds: those of a patch passed to the patch tool, directly or in a shell command.
 */
function patchIn(call: Call): TouchedFile[] {
  const text = typeof call.input === "string" ? call.input : JSON.stringify(call.input ?? "");
  if (!text.includes("*** Begin Patch")) return [];
  if (call.name !== "apply_patch" && !/\bapply_?patch\b/.test(text)) return [];
  const args = typeof call.input === "string" ? parseFields(call.input) : null;
  const patch = wordOf(args?.input) ?? wordOf(args?.patch) ?? text;
  return filesOfPatch(patch);
}

/** Settles a call by the output record that the model got. */
export function finishByOutput(
  ctx: ClassifyContext,
  id: string,
  text: string,
  printed: number | null = null,
): ToolFinishedBody[] {
  const { state } = ctx;
  const call = recall(state.calls, id);
  let now = fromText(text);
  if (now.status === "ok" && now.exitCode === null && call?.single === true && !call.nested && printed !== null)
    now = { ...now, status: printed === 0 ? "ok" : "failed", exitCode: printed };
  // If only one part of a script was refused, the other parts ran: the script failed.
  if (now.status === "denied" && (call?.nested ?? 0) > 0 && call?.nestedStatus !== "denied")
    now = { ...now, status: "failed" };
  const records: ToolFinishedBody[] = [];

  if (call?.process !== undefined) {
    const owner = recall(state.processes, call.process) ?? null;
    if (now.status === "pending") now = { ...now, status: "ok", running: null };
    else if (owner !== null && now.status !== "interrupted") {
      const started = recall(state.calls, owner);
      records.push(finish(ctx, owner, started, merge(started, now), filesOfReport(text)));
      if (started) started.open = false;
      delete state.processes[call.process];
    }
  } else if (now.running !== null) {
    const key = `${call?.name === SCRIPT_TOOL || text.startsWith("Script") ? "c" : "s"}:${now.running}`;
    remember(state.processes, key, id);
  }

  const body = finish(ctx, id, call, merge(call, now), filesOfReport(text));
  if (ctx.full) body.output = text;
  if (call) {
    call.open = now.status === "pending";
    if (!call.open) delete call.script;
  }
  records.push(body);
  return records;
}

/** Settles a call by a structured item or event; starts it first when no call record names it. */
export function finishByItem(
  ctx: ClassifyContext,
  call: Call,
  now: Settlement | null,
  detail: { files?: TouchedFile[]; output?: string | null; step?: boolean } = {},
): RecordBody[] {
  const { state } = ctx;
  const known = recall(state.calls, call.id);
  const records: RecordBody[] = [];
  let held = known;
  if (held === undefined) {
    const parent = scriptOf(state, call);
    records.push(startCall(ctx, call, parent));
    held = recall(state.calls, call.id);
    const script = recall(state.calls, parent);
    if (detail.step === true && script?.open === true && now !== null) {
      script.nested = (script.nested ?? 0) + 1;
      script.nestedStatus = now.status;
      script.nestedExit = now.exitCode;
      script.nestedError = now.error;
    }
  }
  if (now === null) return records;
  // A call that the human stopped or refused keeps that status, although its process may have continued.
  if (known && !known.open && (known.status === "interrupted" || known.status === "denied")) return records;
  const { files = [] } = detail;
  if (held && files.length > 0) held.files = files.slice(0, 64);
  const body = finish(ctx, call.id, held, now, files);
  // The output of an open call is reported by the output record that follows.
  if (ctx.full && (known === undefined || !known.open) && typeof detail.output === "string")
    body.output = detail.output;
  if (held && known === undefined) held.open = now.status === "pending";
  records.push(body);
  return records;
}

/** The script call in which a nested command ran: the open one of its turn, else the last of that turn (late items). */
function scriptOf(state: ReaderState, { input, turn }: Call): string | null {
  const open: string[] = [];
  let closed: string | null = null;
  for (const [id, call] of Object.entries(state.calls).reverse()) {
    if (call.name !== SCRIPT_TOOL || (turn !== null && call.turn !== null && call.turn !== turn)) continue;
    if (call.open) open.push(id);
    else closed ??= turn !== null && call.turn === turn ? id : null;
  }
  const [last = closed] = open;
  if (open.length < 2) return last;
  // Of scripts that run in parallel (0.154): the one whose text contains the command.
  const command = commandIn(input);
  return open.find((id) => command !== "" && state.calls[id]?.script?.includes(command) === true) ?? last;
}

/** The command line of an item, as a script would quote it. */
function commandIn(input: unknown): string {
  const { command } = fieldsOf(input);
  const line = typeof command === "string" ? command : (wordOf(listOf(command).at(-1)) ?? "");
  return JSON.stringify(line).slice(1, -1);
}

/** Combines an output with earlier structured records: an output without an exit code never overrides a failure. */
function merge(call: CallState | undefined, now: Settlement): Settlement {
  if (call === undefined) return now;
  const vague = now.status === "ok" && now.exitCode === null;
  const durationMs = now.durationMs ?? call.ms ?? null;
  if (vague && call.status !== undefined && call.status !== "pending") {
    return { ...now, status: call.status, exitCode: call.exit ?? null, durationMs };
  }
  // A script that ran a single command, or called a single MCP tool, takes its result.
  if (vague && call.nested === 1 && call.nestedStatus !== undefined && call.nestedStatus !== "pending") {
    const error = now.error ?? call.nestedError ?? null;
    return { ...now, status: call.nestedStatus, exitCode: call.nestedExit ?? null, error, durationMs };
  }
  return { ...now, durationMs };
}

function finish(
  ctx: ClassifyContext,
  id: string,
  call: CallState | undefined,
  now: Settlement,
  files: TouchedFile[],
): ToolFinishedBody {
  const body: ToolFinishedBody = {
    type: "tool_finished",
    call_id: id,
    status: now.status,
    exit_code: now.exitCode,
    duration_ms: now.durationMs,
  };
  if (now.error !== null) body.error = now.error;
  if (call) {
    call.status = now.status;
    call.exit = now.exitCode;
    call.ms = now.durationMs;
  }
  // Best evidence first: the change itself, then the requested patch, then the tool's report.
  const touched = call?.files ?? files;
  if (now.status === "ok" && touched.length > 0) body.files = touched;
  return body;
}
