/** Calls from their start to their settlement, the scripts that other calls run in, and the files that calls touch. */
import type { FileOperation, RecordBody, ToolFinishedBody, ToolStartedBody, TouchedFile } from "../../record/record.ts";
import { fieldsOf, isFields, listOf, numberOf, parseFields, stringOf, wordOf } from "./native.ts";
import { fromText, printedIn, whyFailed, type Settlement } from "./settlement.ts";
import { recall, remember, type CallState, type ClassifyContext, type ReaderState, type ScriptState } from "./state.ts";

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
    if (wasStopped(state, parent, now)) now = { ...now, status: "interrupted" };
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

/** A command without an exit code of its own (-1), of a script that the human stopped, was stopped with it. */
function wasStopped(state: ReaderState, script: string | null, now: Settlement | null): now is Settlement {
  const isStopped = script !== null && recall(state.calls, script)?.status === "interrupted";
  return isStopped && now?.status === "failed" && now.exitCode === -1;
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

/** The tool that runs a script, whose commands and tool calls have their own items (0.150 and later). */
const SCRIPT_TOOL = "exec";
const SCRIPT_CHARS = 4000;
const TOOL_MENTION = /\btools\b/g;
const RUNS_COMMAND = /\btools\.\w*(?:exec|shell)\w*\(/;
/** Anything that may run the same text more than once. */
const REPEATS_TEXT = /\b(?:for|while|do|function)\b|=>/;

export function scriptState(code: string): ScriptState {
  const script: ScriptState = { text: code.slice(0, SCRIPT_CHARS) };
  if (code.match(TOOL_MENTION)?.length === 1) script.single = RUNS_COMMAND.test(code) ? "command" : "tool";
  if (REPEATS_TEXT.test(code)) script.repeats = true;
  return script;
}

/** A response that is complete keeps no output back any more: see `ownerOf`. */
export function noteResponse(state: ReaderState, time: number | null): void {
  for (const { script } of Object.values(state.calls)) {
    if (script !== undefined) script.sampledAt ??= time ?? 0;
  }
}

/** Notes an output: the first one lets the next script begin, the last one says that this script ended. */
function noteScriptOutput(state: ReaderState, script: ScriptState, time: number | null, ended: boolean): void {
  script.firstAt ??= time ?? 0;
  if (!ended) return;
  script.endedAt ??= time ?? 0;
  // Texts are needed only as long as another script may have run at the same time.
  const all = Object.values(state.calls).flatMap((call) => call.script ?? []);
  if (all.every((one) => one.endedAt !== undefined)) for (const one of all) delete one.text;
}

/** A call inside a script, according to its item. */
export interface Step {
  /** As the script would name it. */
  tool: string;
  input: unknown;
  turn: string | null;
  /** When it started, as stated by the item. */
  startedAt: number | null;
}

/**
 * The script call in which a step ran, or null if that is not known. No record names it, but scripts of one response run
 * one after the other: the next begins when the one before has answered, that is when it ended or went on in the
 * background. So the time when the step started leaves one script, unless others ran in the background at that time.
 * Among those, the text of the scripts decides, if it can.
 */
export function ownerOf(state: ReaderState, step: Step): string | null {
  const scripts = Object.entries(state.calls).flatMap(([id, call]) => candidate(id, call, step));
  const at = step.startedAt;
  const running = scripts.filter(({ script }) => !hasEnded(script, at));
  if (running.length === 0) return lateOwner(scripts, step);
  // Until its response is complete, an answer is not written, so the scripts behind it may have begun.
  const front: Candidate[] = [];
  const behind: Candidate[] = [];
  for (const one of running) {
    const waits = scripts.slice(0, scripts.indexOf(one)).some(({ script }) => !hasAnswered(script, at));
    if (!waits) front.push(one);
    else if (!(one.script.sampledAt !== undefined && (at === null || at >= one.script.sampledAt))) behind.push(one);
  }
  const named = bestNamed([...front, ...behind], step);
  const [only, other] = named.length === 1 ? named : named.filter((one) => front.includes(one));
  if (only === undefined || other !== undefined) {
    for (const { script } of named) script.unsure = true;
    return null;
  }
  useUp(only.script, step);
  return only.id;
}

interface Candidate {
  id: string;
  script: ScriptState;
}

function candidate(id: string, { script, turn }: CallState, step: Step): Candidate[] {
  const foreign = step.turn !== null && turn !== null && turn !== step.turn;
  return script === undefined || foreign ? [] : [{ id, script }];
}

function hasEnded({ endedAt }: ScriptState, at: number | null): boolean {
  return endedAt !== undefined && (at === null || endedAt < at);
}

function hasAnswered({ firstAt }: ScriptState, at: number | null): boolean {
  return firstAt !== undefined && (at === null || firstAt <= at);
}

/** No script was running: the item is late and does not state when its command started. */
function lateOwner(scripts: Candidate[], { turn, startedAt }: Step): string | null {
  if (turn === null || (startedAt !== null && scripts.length > 1)) return null;
  return scripts.at(-1)?.id ?? null;
}

/** Those whose text names the step best: its tool and what it is given, else its tool, else all. */
function bestNamed(scripts: Candidate[], step: Step): Candidate[] {
  if (scripts.length < 2) return scripts;
  const exact = scripts.filter(({ script }) => mentionOf(script, step) !== null);
  if (exact.length > 0) return exact;
  const byTool = scripts.filter(({ script }) => script.text?.includes(step.tool) === true);
  return byTool.length > 0 ? byTool : scripts;
}

/** The part of the script that names the step with what it is given. */
function mentionOf({ text }: ScriptState, { tool, input }: Step): string | null {
  if (text === undefined || !text.includes(tool)) return null;
  const given = givenTo(input);
  const literals = given.map((value) => literalsOf(value).find((literal) => text.includes(literal)));
  return literals.length > 0 && literals.every((literal) => literal !== undefined) ? (literals[0] ?? null) : null;
}

/** The strings that a script would quote: the command line of an item, or the arguments of a tool. */
function givenTo(input: unknown): string[] {
  const fields = fieldsOf(input);
  if (!Object.hasOwn(fields, "command")) return Object.values(fields).flatMap((value) => wordOf(value) ?? []);
  const { command } = fields;
  const line = typeof command === "string" ? command : wordOf(listOf(command).at(-1));
  return line === null || line === "" ? [] : [line];
}

/** The ways to write a string in JavaScript. */
function literalsOf(value: string): string[] {
  const inner = JSON.stringify(value).slice(1, -1);
  const single = inner.replaceAll('\\"', '"').replaceAll("'", "\\'");
  const template = value.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${");
  return [`"${inner}"`, `'${single}'`, `\`${template}\``];
}

/** What a script names once runs once, unless it repeats itself. */
function useUp(script: ScriptState, step: Step): void {
  const used = script.repeats === true ? null : mentionOf(script, step);
  if (used !== null && script.text !== undefined) script.text = script.text.replace(used, () => "");
}

const PATCH_HEADER = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$/gm;
const MOST_FILES = 200;

/** Files named by a patch in Codex's patch language, anywhere in the text. */
function filesOfPatch(text: string): TouchedFile[] {
  const begin = text.indexOf("*** Begin Patch");
  if (begin === -1) return [];
  let patch = text.slice(begin);
  // Scripts contain the patch as a string literal with escaped newlines.
  if (!/^\*\*\* Begin Patch\s*\n/.test(patch)) patch = patch.replaceAll("\\n", "\n").replaceAll('\\"', '"');
  const end = patch.lastIndexOf("*** End Patch");
  if (end !== -1) patch = patch.slice(0, end);
  const files: TouchedFile[] = [];
  for (const [, verb, path] of patch.matchAll(PATCH_HEADER)) {
    if (path === undefined || files.length >= MOST_FILES) break;
    const last = files.at(-1);
    if (verb === "Move to") {
      if (last) files[files.length - 1] = { path, operation: "renamed" };
    } else {
      const operation = verb === "Add File" ? "created" : verb === "Delete File" ? "deleted" : "modified";
      files.push({ path, operation });
    }
  }
  return files;
}

const PATCH_REPORT = /Success\. Updated the following files:\n((?:[AMD] .+(?:\n|$))+)/;
const REPORT_LETTERS: Readonly<Record<string, FileOperation>> = { A: "created", M: "modified", D: "deleted" };

/** Files in the tool's own report of success. */
function filesOfReport(text: string): TouchedFile[] {
  const list = PATCH_REPORT.exec(text)?.[1];
  if (list === undefined) return [];
  const files: TouchedFile[] = [];
  for (const line of list.split("\n").slice(0, MOST_FILES)) {
    const operation = REPORT_LETTERS[line.slice(0, 1)];
    if (operation && line.length > 2) files.push({ path: line.slice(2), operation });
  }
  return files;
}

const CHANGE_TYPES: Readonly<Record<string, FileOperation>> = { add: "created", delete: "deleted", update: "modified" };

/** Files of a `FileChange` item or `patch_apply_end` event: a map of path to change. */
export function filesOfChanges(changes: unknown): TouchedFile[] {
  if (!isFields(changes)) return [];
  const files: TouchedFile[] = [];
  for (const [path, change] of Object.entries(changes).slice(0, MOST_FILES)) {
    const fields = fieldsOf(change);
    const type = stringOf(fields.type) ?? Object.keys(fields)[0] ?? "";
    const moved = wordOf(fields.move_path) ?? wordOf(fieldsOf(fields.update).move_path);
    if (moved !== null) files.push({ path: moved, operation: "renamed" });
    else files.push({ path, operation: CHANGE_TYPES[type] ?? "modified" });
  }
  return files;
}
