/** Verdicts that need other records: those that follow, prompts that waited in the queue, conversations written again on a resume. */
import type { TriggerKind } from "../../record/record.ts";
import type { EntryClass } from "../contract.ts";
import type { JsonLine, Lines } from "../kit/json-lines.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { digest, isSynthetic } from "./calls.ts";
import {
  compactRefused,
  generatedText,
  humanWords,
  insideTag,
  isCaveat,
  isInterruptMarker,
  isLocalCommand,
  isWrapper,
  parseCommand,
  rawText,
  type MarkerName,
  type SlashCommand,
} from "./markers.ts";
import { blocksOf, hasToolResult, timeOf } from "./native.ts";
import type { Reason } from "./rules.ts";
import type { ReaderState } from "./state.ts";

/** How many records a verdict may look ahead. Later records no longer change the classification. */
const REACH = 48;

/** What the following records show; `open` if the file ended before they could decide. */
interface LookaheadResult<T> {
  value: T;
  open: boolean;
}

type Look<T> = (record: Native) => T | undefined;

/** The first defined result of `look` on the following records. A torn last line counts as the end of the file. */
function scan<T>(lines: Lines, look: Look<T>, otherwise: T): LookaheadResult<T> {
  for (let k = 0; k < REACH; k++) {
    const line: JsonLine | null = lines.peek(k);
    if (line === null || !line.terminated) return { value: otherwise, open: true };
    const value = line.value === null ? undefined : look(line.value);
    if (value !== undefined) return { value, open: false };
  }
  return { value: otherwise, open: false };
}

function userText(record: Native): string {
  return rawText(blocksOf(obj(record["message"])));
}

function isMainUser(record: Native): boolean {
  return record["type"] === "user" && record["isSidechain"] !== true;
}

function isModelOutput(record: Native): boolean {
  return record["type"] === "assistant" && str(obj(record["message"])?.["model"]) !== "<synthetic>";
}

/** What a slash command led to: a request to the model, an answer by the client alone, or "unknown command". */
type CommandEffect = "model" | "local" | "unknown_command";

interface CommandRecord {
  /** The record states that it opens a turn, or holds the prompt that the command expands to. */
  startsTurn: boolean;
  /** Its prompt id, which the records that belong to the command repeat. */
  prompt: string | null;
}

export function foreseeCommand(
  lines: Lines,
  command: SlashCommand,
  { startsTurn, prompt }: CommandRecord,
): LookaheadResult<CommandEffect> {
  if (isLocalCommand(command)) return { value: "local", open: false };
  if (startsTurn) return { value: "model", open: false };
  let answered = false;
  let instructs = false;
  // A command recorded in the form of client commands is complete once it has printed something, unless it then tells
  // the model what to do.
  const isComplete = (): boolean => answered && !command.messageFirst && !instructs;
  const verdict = scan<CommandEffect>(
    lines,
    (record) => {
      if (isModelOutput(record)) return isComplete() ? "local" : "model";
      if (record["type"] === "system" && record["subtype"] === "local_command") answered = true;
      else if (isMainUser(record)) {
        if (hasToolResult(blocksOf(obj(record["message"])))) return isComplete() ? "local" : "model";
        const text = userText(record);
        const generated = generatedText(text)?.name;
        if (generated === "command_output") {
          answered = true;
          if (str(record["turnOrigin"]) !== null) return "model";
        } else if (generated === "unknown_command") return "unknown_command";
        else if (record["isMeta"] === true && generated !== "caveat") {
          if (isSessionNotice(text)) return undefined;
          if (!isComplete()) return "model";
          if (prompt === null || record["promptId"] !== prompt) return "local";
          instructs ||= !isWrapper(text);
        } else if (instructs && isInterruptMarker(text)) return "model";
        else return answered || !command.messageFirst ? "local" : "model";
      }
      return undefined;
    },
    command.messageFirst ? "model" : "local",
  );
  return answered && verdict.open ? { value: instructs ? "model" : "local", open: true } : verdict;
}

/** `/compact` asks a model for a summary, unless its output says that it stopped before that. */
export function foreseeCompact(lines: Lines): LookaheadResult<CommandEffect> {
  return scan<CommandEffect>(
    lines,
    (record) => {
      if (record["subtype"] === "compact_boundary" || record["isCompactSummary"] === true) return "model";
      if (record["type"] === "system" && record["subtype"] === "local_command")
        return outcome(str(record["content"]) ?? "");
      if (!isMainUser(record) || record["isMeta"] === true) return undefined;
      const text = userText(record);
      return generatedText(text)?.name === "command_output" ? outcome(text) : "local";
    },
    "model",
  );
}

function outcome(text: string): CommandEffect {
  const output = insideTag(text, "local-command-stdout") ?? insideTag(text, "local-command-stderr") ?? text;
  return compactRefused(output) ? "local" : "model";
}

/**
 * Whether the text is a notice about the session that the client inserts with a command, without a request to the
 * model.
 */
export function isSessionNotice(text: string): boolean {
  return /^<system-reminder>\s*The user named this session /.test(text.trimStart());
}

/** The command that follows a caveat; null when something else follows. */
export function foreseeCaveat(lines: Lines): LookaheadResult<SlashCommand | null> {
  return scan<SlashCommand | null>(
    lines,
    (record) => {
      if (record["type"] === "assistant") return null;
      if (!isMainUser(record) || record["isMeta"] === true) return undefined;
      return parseCommand(userText(record));
    },
    null,
  );
}

/** The summary and the command record around a compaction boundary. */
interface CompactionAhead {
  summary: string | null;
  /** A `/compact` record follows: the boundary prepares that turn. */
  command: boolean;
}

export function foreseeCompaction(lines: Lines, manual: boolean): LookaheadResult<CompactionAhead> {
  const ahead: CompactionAhead = { summary: null, command: false };
  const verdict = scan<boolean>(
    lines,
    (record) => {
      if (record["type"] === "assistant") return true;
      if (!isMainUser(record)) return undefined;
      if (record["isCompactSummary"] === true) {
        ahead.summary = userText(record);
        return manual ? undefined : true;
      }
      if (record["isMeta"] === true) return isCaveat(userText(record)) ? undefined : true;
      ahead.command = manual && parseCommand(userText(record))?.name === "compact";
      return true;
    },
    false,
  );
  return { value: ahead, open: verdict.open };
}

/**
 * Escape during a running tool and a refused permission write the same tool result. Only the interrupt marker that
 * follows tells them apart: it names the interrupted message (`interruptedMessageId`) if work was running.
 */
export function foreseeInterrupt(lines: Lines): LookaheadResult<boolean> {
  return scan<boolean>(
    lines,
    (record) => {
      if (record["type"] === "assistant") return false;
      if (record["type"] === "system" && record["subtype"] === "turn_duration") return false;
      if (!isMainUser(record) && record["type"] === "user") return undefined;
      if (record["type"] !== "user" || hasToolResult(blocksOf(obj(record["message"])))) return undefined;
      return isInterruptMarker(userText(record)) && str(record["interruptedMessageId"]) !== null;
    },
    false,
  );
}

/** Whether any further record of the conversation follows, or the prompt is put into the queue once more. */
export function foreseeChain(lines: Lines, prompt: string): LookaheadResult<boolean> {
  return scan<boolean>(
    lines,
    (record) => {
      const again = record["operation"] === "enqueue" && record["content"] === prompt;
      return again || str(record["uuid"]) !== null ? true : undefined;
    },
    false,
  );
}

/** Whether the next record of the conversation is the command that set the goal. */
export function foreseeGoalCommand(lines: Lines): LookaheadResult<boolean> {
  return scan<boolean>(
    lines,
    (record) => {
      if (str(record["uuid"]) === null || record["isSidechain"] === true) return undefined;
      return isMainUser(record) && parseCommand(userText(record))?.name === "goal";
    },
    false,
  );
}

/** Whether this file stores attachments: if so, one is near every prompt that was taken into a running turn. */
export function foreseeAttachment(lines: Lines): LookaheadResult<boolean> {
  return scan<boolean>(
    lines,
    (record) => {
      if (record["type"] === "attachment") return true;
      return record["type"] === "assistant" ? false : undefined;
    },
    false,
  );
}

/** Whether the next record of the conversation may be a human's prompt; copies of requests can precede it. */
export function foreseePrompt(lines: Lines): LookaheadResult<boolean> {
  return scan<boolean>(
    lines,
    (record) => {
      const type = record["type"];
      if (type === "assistant" || type === "attachment") return false;
      if (!isMainUser(record)) return undefined;
      if (record["isMeta"] === true || hasToolResult(blocksOf(obj(record["message"])))) return false;
      const origin = str(obj(record["origin"])?.["kind"]);
      if (origin !== null) return origin === "human";
      const text = userText(record);
      return !isInterruptMarker(text) && generatedText(text) === null;
    },
    false,
  );
}

/** A prompt typed while the agent was busy and taken into the running turn: it has no `user` record of its own. */
export interface QueuedVerdict {
  trigger: boolean;
  reason: Reason;
  author: "human" | "source" | "agent";
  text: string;
  attachments: number;
  kind: TriggerKind;
}

export function judgeQueued(attachment: Native, sidechain: boolean): QueuedVerdict {
  const blocks = blocksOf({ content: attachment["prompt"] });
  const mode = str(attachment["commandMode"]);
  const origin = str(obj(attachment["origin"])?.["kind"]);
  const raw = rawText(blocks);
  type Rule = MarkerName | "sidechain" | "meta" | "other_origin" | "empty";
  const not = (rule: Rule, author: "source" | "agent" = "source"): QueuedVerdict => ({
    trigger: false,
    reason: `claude.queued.${rule}`,
    author,
    text: raw,
    attachments: 0,
    kind: "queued",
  });
  if (sidechain) return not("sidechain", "agent");
  if (mode === "task-notification") return not("task_notification");
  if (attachment["isMeta"] === true) return not("meta");
  if (origin !== null && origin !== "human") return not("other_origin", "agent");
  const words = humanWords(blocks, origin === "human");
  const generated = origin === "human" ? null : generatedText(words.text);
  if (generated) return not(generated.name, generated.author);
  if (words.text.trim() === "" && words.attachments === 0) return not("empty");
  const command = parseCommand(words.text);
  const shell = mode === "bash";
  return {
    trigger: true,
    reason: "claude.queued.absorbed",
    author: "human",
    text: command?.text ?? (shell ? `!${words.text}` : words.text),
    attachments: words.attachments,
    kind: "queued",
  };
}

/** A prompt begins that was typed into the running turn: it shares that turn's prompt id and its end. */
export function beginAbsorbed(state: ReaderState): void {
  state.triggers += 1;
  state.turn = "running";
  state.command = "none";
  state.absorbed = true;
}

/** How close in time a `user` record must be to count as the same queued prompt: people do type "go on" twice. */
const NEAR_MS = 10_000;

export function noteQueued(record: Native, attachment: Native | null, text: string, state: ReaderState): void {
  state.queued.set(digest(text), timeOf(record) ?? 0);
  const source = str(attachment?.["source_uuid"]);
  if (source !== null) state.queued.set(`uuid:${source}`, 0);
}

/** Whether the `user` record repeats a queued prompt that was already taken into a turn. */
export function repeatsQueued(record: Native, text: string, state: ReaderState): boolean {
  const uuid = str(record["uuid"]);
  if (uuid !== null && state.queued.get(`uuid:${uuid}`) !== undefined) return true;
  const at = state.queued.get(digest(text));
  const time = timeOf(record);
  return at !== undefined && time !== null && Math.abs(time - at) <= NEAR_MS;
}

/** Tracks the queue, to recognise queued prompts in versions without `promptSource`. */
export function noteQueueOperation(record: Native, state: ReaderState): void {
  const content = str(record["content"]);
  if (record["operation"] === "enqueue" && content !== null) state.enqueued.add(digest(content));
  switch (record["operation"]) {
    case "enqueue":
      state.waiting = [...state.waiting, content ?? ""].slice(-MOST_WAITING);
      if (isPassedIn(content)) state.passage = isIdle(state) ? "idle" : "busy";
      return;
    case "remove":
      state.waiting.splice(placeOf(record, state), 1);
      return;
    case "popAll":
      state.waiting = [];
      return;
    case "dequeue":
      // 2.0.64 to 2.1.23 with `-p` write no `enqueue`.
      if (state.waiting.length === 0) state.passage = "idle";
      state.waiting.shift();
      return;
    default:
  }
}

/** Whether the client puts the text into its queue for somebody else, not for itself. */
function isPassedIn(content: string | null): boolean {
  return content === null || generatedText(content) === null;
}

function isIdle({ triggers, turn }: ReaderState): boolean {
  return triggers === 0 || turn !== "running";
}

const MOST_WAITING = 32;

function placeOf(record: Native, state: ReaderState): number {
  const content = str(record["content"]);
  return Math.max(0, content === null ? 0 : state.waiting.indexOf(content));
}

/** The prompt that a `dequeue` operation takes out of the queue to start a turn; null for any other record. */
export function startedText(record: Native, state: ReaderState): string | null {
  if (record["operation"] !== "dequeue" || state.kind !== "root") return null;
  const text = state.waiting[0] ?? "";
  return text.trim() === "" || text.startsWith("/") || generatedText(text) !== null ? null : text;
}

/**
 * The prompt that a `remove` operation takes into the running turn; null for any other record. Up to 2.1.88 the model
 * gets such a prompt beside a tool result, and the queue operations are its only trace. Later releases store an
 * attachment, so there a removal without one means that the human withdrew the prompt.
 */
export function absorbedText(record: Native, state: ReaderState): string | null {
  if (record["operation"] !== "remove" || state.attaches || state.kind !== "root" || state.turn !== "running")
    return null;
  const text = state.waiting[placeOf(record, state)] ?? "";
  return text.trim() === "" || generatedText(text) !== null ? null : text;
}

/**
 * Whether the prompt was queued. In the terminal only prompts typed into a busy session are; `-p` queues every prompt.
 */
export function wasQueued(record: Native, text: string, state: ReaderState): boolean {
  return state.enqueued.delete(digest(text)) && record["entrypoint"] === "cli" && record["promptSource"] === undefined;
}

/**
 * A run of copied records. Up to the 1.0 releases, `--resume`, `--continue` and every further message of a program's
 * input wrote the conversation so far again, as did `--fork-session` up to at least 2.0.2: into a new file or the same
 * one, with new ids (kept since about 1.0.80), new times at most a millisecond apart, and answers without their request
 * ids. No model answers that fast, so a prompt that is answered within that time is a copy.
 *
 * 2.0.74 to 2.1.12 take messages of several blocks, such as the prompts of editors, apart when they resume: from the
 * first of them on they write everything again into the same file, with new ids but the original times. The copy is
 * recognised at its first prompt, and lasts until time goes on.
 */
export interface Replay {
  /** Time of the last copied line. */
  last: number;
  /** `inherited` at the start of a file, `duplicate` when the same file holds the originals. */
  class: Extract<EntryClass, "inherited" | "duplicate">;
  /** In a run with the original times: the time of the newest record before it. */
  until?: number;
}

/** Maximum time between two lines of a copy; real events are farther apart. */
const PACE_MS = 20;
/** A copied prompt without an answer follows within this time; the first new prompt came 2 to 20 ms after the copy. */
const STEP_MS = 1;
/** How many lines (commands and their output) may be between a prompt and its answer in a copy. */
const REPLAY_REACH = 16;

const NO = { copy: false, open: false };

/** Whether the record is a copy. `open`: the file ended before that could be decided. */
export function noteReplay(record: Native, lines: Lines, state: ReaderState): { copy: boolean; open: boolean } {
  const time = timeOf(record);
  if (str(record["uuid"]) === null || time === null) return NO;
  if (goesBack(record, time, state)) return { copy: true, open: false };
  if (state.replay === null && !mayReplay(record)) return NO;
  const { replay } = state;
  if (replay !== null) {
    const found = goesOn(record, time, replay.last, lines);
    if (found.copy) replay.last = time;
    else state.replay = null;
    if (found.copy || found.open) return found;
  }
  const found = opens(record, time, lines);
  if (found.copy) state.replay = { last: time, class: state.triggers > 0 ? "duplicate" : "inherited" };
  return found;
}

/** Whether the record belongs to a copy with the original times. */
function goesBack(record: Native, time: number, state: ReaderState): boolean {
  const { newest, replay } = state;
  if (replay?.until !== undefined) {
    if (time <= replay.until) return true;
    state.replay = null;
  }
  state.newest = Math.max(newest ?? time, time);
  if (record["type"] !== "user" || record["isSidechain"] === true || record["isMeta"] === true) return false;
  const blocks = blocksOf(obj(record["message"]));
  if (hasToolResult(blocks)) return false;
  const texts = blocks.map((block) => `${time}:${digest(str(block["text"]) ?? "")}`);
  const isNew = texts.filter((text) => state.prompts.add(text)).length > 0;
  if (isNew || newest === null || newest <= time) return false;
  state.replay = { last: time, class: "duplicate", until: newest };
  return true;
}

/** Releases from 2.1 on append to the old file or copy it with the original times; 2.0 still forked this way. */
export function mayReplay(record: Native): boolean {
  return /^(?:[01]|2\.0)\./.test(str(record["version"]) ?? "");
}

function opens(record: Native, time: number, lines: Lines): { copy: boolean; open: boolean } {
  if (record["parentUuid"] !== null || record["isSidechain"] === true) return NO;
  // Only a copy without its first prompt begins with an answer.
  if (record["type"] === "assistant") return { copy: isCopiedAnswer(record, time, time), open: false };
  if (record["type"] !== "user") return NO;
  const { answer } = ahead(lines);
  return { copy: answer !== null && isCopiedAnswer(answer, time, time), open: answer === null && isEnd(lines) };
}

function goesOn(record: Native, time: number, last: number, lines: Lines): { copy: boolean; open: boolean } {
  if (time < last || time - last > PACE_MS) return NO;
  if (record["type"] === "assistant") return { copy: isCopiedAnswer(record, time, last), open: false };
  if (record["type"] !== "user" || hasToolResult(blocksOf(obj(record["message"])))) return { copy: true, open: false };
  const { answer, prompts } = ahead(lines);
  if (answer !== null && prompts === 0) return { copy: isCopiedAnswer(answer, time, time), open: false };
  return { copy: time - last <= STEP_MS, open: answer === null && isEnd(lines) };
}

function isCopiedAnswer(record: Native, asked: number, last: number): boolean {
  const time = timeOf(record);
  return (
    record["requestId"] === undefined &&
    !isSynthetic(record) &&
    time !== null &&
    time >= asked &&
    time - last <= PACE_MS
  );
}

/** The next answer, and the number of prompts before it. */
function ahead(lines: Lines): { answer: Native | null; prompts: number } {
  let prompts = 0;
  for (let k = 0; k < REPLAY_REACH; k++) {
    const line = lines.peek(k);
    if (line === null || !line.terminated) break;
    if (line.value?.["type"] === "assistant") return { answer: line.value, prompts };
    if (line.value?.["type"] === "user" && line.value["isMeta"] !== true) prompts += 1;
  }
  return { answer: null, prompts };
}

function isEnd(lines: Lines): boolean {
  const line = lines.peek(REPLAY_REACH - 1);
  return line === null || !line.terminated;
}
