import { fieldsOf, listOf, wordOf } from "./fields.ts";
import type { CallState, ReaderState, ScriptState } from "./state.ts";

/** The tool that runs a script, whose commands and tool calls have their own items (0.150 and later). */
export const SCRIPT_TOOL = "exec";
const KEPT_CHARS = 4000;
const TOOL_MENTION = /\btools\b/g;
const RUNS_COMMAND = /\btools\.\w*(?:exec|shell)\w*\(/;
/** Anything that may run the same text more than once. */
const REPEATS = /\b(?:for|while|do|function)\b|=>/;

export function scriptState(code: string): ScriptState {
  const script: ScriptState = { text: code.slice(0, KEPT_CHARS) };
  if (code.match(TOOL_MENTION)?.length === 1) script.single = RUNS_COMMAND.test(code) ? "command" : "tool";
  if (REPEATS.test(code)) script.repeats = true;
  return script;
}

/** A response that is complete keeps no output back any more: see `ownerOf`. */
export function noteResponse(state: ReaderState, time: number | null): void {
  for (const { script } of Object.values(state.calls)) {
    if (script !== undefined) script.sampledAt ??= time ?? 0;
  }
}

/** Notes an output: the first one lets the next script begin, the last one says that this script ended. */
export function noteScriptOutput(state: ReaderState, script: ScriptState, time: number | null, ended: boolean): void {
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
