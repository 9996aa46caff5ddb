import type { RecordBody, ToolFinishedBody, ToolStartedBody, TouchedFile } from "../../format/record.ts";
import { fieldsOf, listOf, numberOf, parseFields, wordOf } from "./fields.ts";
import { filesOfPatch, filesOfReport } from "./patch.ts";
import type { ClassifyContext } from "./verdict.ts";
import { noteScriptOutput, ownerOf, SCRIPT_TOOL, scriptState, type Step } from "./scripts.ts";
import { fromText, type Settlement } from "./settlement.ts";
import { recall, remember, type CallState } from "./state.ts";
import { printedIn, whyFailed } from "./why.ts";

export interface Call {
  id: string;
  name: string;
  /** Arguments as the model wrote them. */
  input: unknown;
  turn: string | null;
}

const isClosed = (call: CallState): boolean => !call.open;

export function startCall(ctx: ClassifyContext, call: Call, parent: string | null = null): ToolStartedBody {
  const { state } = ctx;
  const held: CallState = { name: call.name, turn: call.turn, at: ctx.record.time, open: true };
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
  if (call.name === SCRIPT_TOOL && typeof call.input === "string") held.script = scriptState(call.input);
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
  const script = call?.script;
  let now = fromText(text);
  if (now.status === "ok" && now.exitCode === null && script?.single === "command" && !script.steps && printed !== null)
    now = printed === 0 ? { ...now, exitCode: 0 } : { ...now, ...failedWith(printed, text) };
  // If only one part of a script was refused, the other parts ran: the script failed.
  if (now.status === "denied" && (script?.steps ?? 0) > 0 && script?.lastStep?.status !== "denied")
    now = { ...now, status: "failed" };
  const records: ToolFinishedBody[] = [];

  if (call?.process !== undefined) {
    if (now.status === "pending") now = { ...now, status: "ok", running: null };
    else if (endsProcess(text, now)) records.push(...finishProcess(ctx, call.process, now, text));
  } else if (now.running !== null) {
    const key = `${call?.name === SCRIPT_TOOL || text.startsWith("Script") ? "c" : "s"}:${now.running}`;
    remember(state.processes, key, id);
  }

  const body = finish(ctx, id, call, merge(call, now), filesOfReport(text));
  if (ctx.full) body.output = text;
  if (call) call.open = now.status === "pending";
  if (script) noteScriptOutput(state, script, ctx.record.time, now.status !== "pending");
  records.push(body);
  return records;
}

function failedWith(exitCode: number, text: string): Pick<Settlement, "status" | "exitCode" | "error"> {
  return { status: "failed", exitCode, error: whyFailed(printedIn(text)) };
}

/** Whether an output says how the process ended, and not only that it could not be reached or that the human stopped. */
function endsProcess(text: string, { status, exitCode }: Settlement): boolean {
  if (status === "interrupted") return false;
  return status !== "failed" || exitCode !== null || text.startsWith("Script ");
}

/** Settles the call that started a process by the output of a later one, which states only its own duration. */
function finishProcess(ctx: ClassifyContext, process: string, now: Settlement, text: string): ToolFinishedBody[] {
  const { state } = ctx;
  const id = recall(state.processes, process) ?? null;
  if (id === null) return [];
  const call = recall(state.calls, id);
  delete state.processes[process];
  const body = finish(
    ctx,
    id,
    call,
    merge(call, { ...now, durationMs: elapsed(ctx, call) ?? now.durationMs }),
    filesOfReport(text),
  );
  if (call) call.open = false;
  if (call?.script) noteScriptOutput(state, call.script, ctx.record.time, true);
  return [body];
}

function elapsed({ record }: ClassifyContext, call: CallState | undefined): number | null {
  if (record.time === null || call === undefined || call.at === null) return null;
  return Math.max(0, record.time - call.at);
}

/** Whether an output is a message that a script sent beside its own output, which is always written first. */
export function isNotice({ state }: ClassifyContext, id: string, text: string): boolean {
  return recall(state.calls, id)?.script?.firstAt !== undefined && !text.startsWith("Script ");
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
  const ended: RecordBody[] = [];
  let held = known;
  if (held === undefined) {
    const parent = ownerOf(state, stepOf(ctx, call));
    records.push(startCall(ctx, call, parent));
    held = recall(state.calls, call.id);
    if (detail.step === true && parent !== null && now !== null) ended.push(...stepEnded(ctx, parent, now));
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
  return [...records, body, ...ended];
}

function stepOf({ record }: ClassifyContext, call: Call): Step {
  const tool = call.name.replace(".", "__").replaceAll(/\W/g, "_");
  return { tool, input: call.input, turn: call.turn, startedAt: numberOf(record.payload.started_at_ms) };
}

/**
 * Counts a step of a running script. A script that went on in the background, and whose only step this is, ended with
 * it: if nobody waits for the script, as after a steering prompt, no other record says so.
 */
function stepEnded(ctx: ClassifyContext, id: string, now: Settlement): ToolFinishedBody[] {
  const call = recall(ctx.state.calls, id);
  const script = call?.script;
  if (script === undefined || !call?.open) return [];
  script.steps = (script.steps ?? 0) + 1;
  script.lastStep = { status: now.status, exit: now.exitCode, error: now.error };
  if (call.status !== "pending" || now.status === "pending") return [];
  if (script.single === undefined || script.repeats === true || script.unsure === true) return [];
  call.open = false;
  return [finish(ctx, id, call, { ...now, durationMs: elapsed(ctx, call) }, [])];
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
  const { steps, lastStep, unsure } = call.script ?? {};
  if (vague && steps === 1 && unsure === undefined && lastStep !== undefined && lastStep.status !== "pending") {
    const error = now.error ?? lastStep.error;
    return { ...now, status: lastStep.status, exitCode: lastStep.exit, error, durationMs };
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
