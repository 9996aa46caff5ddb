/** How a call ended according to one record, and why it failed. */
import type { ToolStatus } from "../../record/record.ts";
import { durationOf, fieldsOf, numberOf, parseFields, plainText, stringOf, wordOf, type Fields } from "./native.ts";

/** How a call ended, according to one record. */
export interface Settlement {
  status: ToolStatus;
  exitCode: number | null;
  durationMs: number | null;
  error: string | null;
  /** Id of the process or script cell that is still running. */
  running: string | null;
}

export function settlementOf(status: ToolStatus, error: string | null = null): Settlement {
  return { status, exitCode: null, durationMs: null, error, running: null };
}

/** `printed`: what the command printed, which usually says why it failed. */
function settlementByExit(exitCode: number, durationMs: number | null, printed: string | null): Settlement {
  const ok = exitCode === 0;
  return { status: ok ? "ok" : "failed", exitCode, durationMs, error: ok ? null : whyFailed(printed), running: null };
}

const HEAD_CHARS = 600;
const WALL = /^Wall time:? ([\d.]+) seconds/m;
const EXIT = /^Exit code: (-?\d+)/m;
const EXITED = /^Process exited with code (-?\d+)/m;
const RUNNING = /^Process running with session ID (\S+)/m;
const SCRIPT = /^Script (completed|failed|terminated|running with cell ID (\S+))/;
const SANDBOX = /^sandbox denied exec error, exit code: (-?\d+)/;
const ABORTED = /^(?:aborted(?: by user(?: after ([\d.]+)s)?)?|Wall time:? [\d.]+ seconds\s+aborted by user)/;
const FAILED =
  /^(?:unsupported (?:custom tool )?call|unsupported tool|failed to parse function arguments|failed in sandbox[ :]|error: (?:failed to |invalid (?:patch|hunk)|no files were modified|[a-z]+\()|apply_patch (?:verification )?failed|patch verification failed|invalid patch|(?:exec_command|write_stdin|shell|exec|execution|unified exec) (?:failed|error)|execution error|tool call (?:failed|error)|Err: |err: |code-mode host |unable to (?:locate|process|read|open)|unknown (?:tool|process id)|Script error:|failed to (?:spawn|start|create|execute|run|apply|read|find))/i;

/**
 * Settlement from the output text that the model got, if there is no structured record. Only the head of the text is
 * examined: the rest is the command's own output and may contain anything.
 */
export function fromText(text: string): Settlement {
  const old = fromJson(text);
  if (old !== null) return old;
  const head = headOf(text);
  const wall = WALL.exec(head)?.[1];
  const durationMs = wall === undefined ? null : Math.round(Number(wall) * 1000);

  const script = SCRIPT.exec(head);
  if (script) {
    const cell = script[2] ?? null;
    if (cell !== null) return { ...settlementOf("pending"), durationMs, running: cell };
    if (script[1] === "completed") return { ...settlementOf("ok"), durationMs };
    const error = /Script error:\n?([\s\S]*)/.exec(text)?.[1] ?? `script ${script[1]}`;
    return { ...settlementOf(isRefusal(error) ? "denied" : "failed", messageIn(error)), durationMs };
  }
  const exit = EXIT.exec(head)?.[1] ?? EXITED.exec(head)?.[1];
  if (exit !== undefined && (wall !== undefined || head.startsWith("Exit code:")))
    return settlementByExit(Number(exit), durationMs, printedIn(text, quotedTo(text)));
  const running = wall === undefined ? undefined : RUNNING.exec(head)?.[1];
  if (running !== undefined) return { status: "pending", exitCode: null, durationMs, error: null, running };
  const aborted = ABORTED.exec(head);
  if (aborted) {
    const after = aborted[1] === undefined ? durationMs : Math.round(Number(aborted[1]) * 1000);
    const error = wall === undefined ? firstLine(head) : "aborted by user";
    return { ...settlementOf("interrupted", error), durationMs: after };
  }
  if (isRefusal(text)) return { ...settlementOf("denied", messageIn(text)), durationMs };
  const denied = SANDBOX.exec(head)?.[1];
  if (denied !== undefined) return { ...settlementOf("failed", firstLine(head)), exitCode: Number(denied), durationMs };
  if (FAILED.test(head)) return { ...settlementOf("failed", messageIn(text)), durationMs };
  return { ...settlementOf("ok"), durationMs };
}

/** Some versions quote the command first, which may have any number of lines and contain anything. */
const QUOTED = /^Command: /;
const AFTER_COMMAND = /\n(?:Chunk ID: [^\n]*\n)?Wall time:? [\d.]+ seconds\n/;

function quotedTo(text: string): number {
  return QUOTED.test(text) ? (AFTER_COMMAND.exec(text)?.index ?? 0) : 0;
}

function headOf(text: string): string {
  const begin = quotedTo(text);
  const output = text.indexOf("\nOutput:", begin);
  return text.slice(
    begin === 0 ? 0 : begin + 1,
    output === -1 ? begin + HEAD_CHARS : Math.min(output, begin + HEAD_CHARS * 4),
  );
}

/** The oldest outputs are JSON text: `{"output":…,"metadata":{"exit_code":…,"duration_seconds":…}}`. */
function fromJson(text: string): Settlement | null {
  if (!text.startsWith("{") || !text.includes('"metadata"')) return null;
  const fields = parseFields(text);
  const metadata = fieldsOf(fields?.metadata);
  const exit = numberOf(metadata.exit_code) ?? lateExit(text);
  if (exit === null) return null;
  const seconds = numberOf(metadata.duration_seconds);
  return settlementByExit(exit, seconds === null ? null : Math.round(seconds * 1000), stringOf(fields?.output));
}

/** A shortened line is no longer valid JSON, but its end still states the exit code. */
function lateExit(text: string): number | null {
  const match = /"metadata"\s*:\s*\{\s*"exit_code"\s*:\s*(-?\d+)/.exec(text.slice(-200));
  return match?.[1] === undefined ? null : Number(match[1]);
}

/** `CommandExecution` items and `exec_command_end` events. */
export function fromCommand(item: Fields): Settlement | null {
  const exitCode = numberOf(item.exit_code);
  const status = stringOf(item.status);
  const durationMs = durationOf(item.duration);
  if (status === "declined") return { ...declined(item.aggregated_output ?? item.formatted_output), durationMs };
  if (status === "in_progress") return { ...settlementOf("pending"), durationMs };
  const printed = wordOf(item.stderr) ?? wordOf(item.aggregated_output) ?? wordOf(item.stdout);
  if (exitCode !== null) return settlementByExit(exitCode, durationMs, printed);
  if (status === "failed") return { ...settlementOf("failed", whyFailed(printed)), durationMs };
  return status === "completed" || status === "success" ? { ...settlementOf("ok"), durationMs } : null;
}

/** Some failures to start are also recorded as declined; the message tells them apart. */
function declined(said: unknown): Settlement {
  const text = stringOf(said) ?? "";
  if (!isRefusal(text) && FAILED.test(text)) return settlementOf("failed", messageIn(text));
  return settlementOf("denied", text.trim() === "" ? "declined" : messageIn(text));
}

/** `FileChange` items and `patch_apply_end` events. */
export function fromPatch(item: Fields): Settlement | null {
  const status = stringOf(item.status);
  const said = firstLine(wordOf(item.stderr) ?? wordOf(item.stdout) ?? "");
  if (status === "declined" || isRefusal(said)) return declined(item.stderr);
  if (status === "failed" || item.success === false) return settlementOf("failed", said === "" ? null : said);
  if (status === "in_progress") return settlementOf("pending");
  return status === null && item.success === undefined ? null : settlementOf("ok");
}

/** `McpToolCall` and `DynamicToolCall` items, `mcp_tool_call_end` events with their Rust `Ok`/`Err` results. */
export function fromToolCall(item: Fields): Settlement | null {
  const result = fieldsOf(item.result);
  const ok = fieldsOf(result.Ok);
  const durationMs = durationOf(item.duration);
  const error =
    stringOf(result.Err) ??
    stringOf(item.error) ??
    wordOf(fieldsOf(item.error).message) ??
    wordOf(fieldsOf(result.Err).message);
  const status = stringOf(item.status);
  if (status === "declined") return { ...settlementOf("denied", error), durationMs };
  const flagged = [ok.is_error, ok.isError, result.is_error, result.isError].includes(true);
  if (error !== null || flagged || status === "failed" || item.success === false) {
    const said = error ?? wordOf(plainText(ok.content ?? result.content));
    const denied = said !== null && isRefusal(said);
    return { ...settlementOf(denied ? "denied" : "failed", said === null ? null : firstLine(said)), durationMs };
  }
  if (status === "in_progress" || status === "inProgress") return { ...settlementOf("pending"), durationMs };
  return { ...settlementOf("ok"), durationMs };
}

/**
 * Messages about calls that were not allowed to run: refused by the human, the approval policy, a rule, a hook or an
 * automatic reviewer. The wording is Codex's, from its source and from files. Each must be at the beginning of the
 * text, because the output of a command may contain anything.
 */
const REFUSALS: readonly RegExp[] = [
  // The human.
  /^[\w` -]{0,40}(?:rejected|declined|denied) by (?:the )?user\b/i,
  /^(?:the )?user (?:rejected|declined|cancelled)\b/i,
  // The approval policy; its value may be a structure of several lines.
  /^approval policy is [\s\S]{1,500}?; reject command\b/i,
  /^approval (?:required by policy|policy changed to never|settings changed|request timed out)\b/i,
  /^rejected by configuration\b/i,
  // Rules: the whole command, then the verdict, then a reason that a person wrote.
  /^`[\s\S]{1,4000}?` rejected: /,
  /^[^\n]{0,160}rejected: (?:blocked by policy|policy forbids)\b/i,
  /^(?:exec command|patch) rejected\b/i,
  // Hooks.
  /^(?:Command|Tool call) blocked by PreToolUse hook\b/i,
  // The automatic reviewer; if it does not answer in time, the call does not run either.
  /^this action was rejected\b/i,
  /^automatic approval review denied\b/i,
  /^the automatic permission approval review did not finish\b/i,
];

/** How much of the text is searched: a rule quotes the whole command before the verdict. */
const REFUSAL_REACH = 6000;

/** A Rust error that wraps the message: `exec_command failed: CreateProcess { message: "Rejected(\"…\")" }`. */
const WRAPPED_REFUSAL =
  /^(?:exec_command|shell|exec|write_stdin|unified exec) failed\b[\s\S]{0,4000}?CreateProcess \{ message: "Rejected\(\\*"/;

/**
 * Whether the text is a refusal, possibly wrapped in an error. `Rejected` alone can also mean that a process did not
 * start.
 */
export function isRefusal(text: string): boolean {
  const said = text.slice(0, REFUSAL_REACH).trimStart();
  const wrapped = WRAPPED_REFUSAL.exec(said);
  const inner = wrapped ? said.slice(wrapped[0].length) : said;
  return REFUSALS.some((words) => words.test(inner));
}

/** The longest reason: about what a list of calls can show. The file has the rest. */
const LONGEST_REASON = 240;

/**
 * Why a command failed, according to what it printed: all of it if it is short, else its last lines, because programs
 * state the reason before they end. Null if it printed nothing.
 */
export function whyFailed(printed: string | null): string | null {
  const text = printed?.trim() ?? "";
  if (text.length <= LONGEST_REASON) return text === "" ? null : text;
  const [last = "", ...before] = text.slice(-LONGEST_REASON).split("\n").toReversed();
  // The first part is the rest of a line, unless it is the only one.
  if (before.length === 0) return `…${last}`;
  return ["…", ...before.slice(0, -1).toReversed(), last].join("\n");
}

/** What the command printed: the part of an output below its header. */
export function printedIn(text: string, from: number = 0): string | null {
  const mark = "\nOutput:";
  const at = text.indexOf(mark, from);
  return at === -1 ? null : text.slice(at + mark.length);
}

/** Codex's own message: the first line, or what a Rust error holds behind the whole command. */
export function messageIn(text: string): string {
  const message = quoted(WRAPPED_MESSAGE.exec(text)?.[1]);
  return message === null ? firstLine(text) : shortened((quoted(REJECTED.exec(message)?.[1]) ?? message).trim());
}

const WRAPPED_MESSAGE = /^\w+(?: \w+)? failed\b[\s\S]{0,4000}?CreateProcess \{ message: "((?:[^"\\]|\\.)*)" \}/;
const REJECTED = /^Rejected\("([\s\S]*)"\)$/;

/** The text of a Rust string literal. */
function quoted(inner: string | undefined): string | null {
  if (inner === undefined) return null;
  const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
  return inner.replaceAll(/\\(u\{[\da-f]{1,6}\}|.)/gi, (_, escaped: string) =>
    escaped.startsWith("u{") ? String.fromCodePoint(codePoint(escaped)) : (escapes[escaped] ?? escaped),
  );
}

function codePoint(escaped: string): number {
  return Math.min(0x10_ff_ff, Number.parseInt(escaped.slice(2, -1), 16));
}

function firstLine(text: string): string {
  return shortened(text.trim().split("\n", 1)[0] ?? "");
}

function shortened(text: string): string {
  return text.length <= LONGEST_REASON * 2 ? text : `${text.slice(0, LONGEST_REASON * 2)}…`;
}
