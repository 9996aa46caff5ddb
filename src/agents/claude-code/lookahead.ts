import type { JsonLine, Lines } from "../kit/json-lines.ts";
import { compactRefused, isLocalCommand, parseCommand, type SlashCommand } from "./commands.ts";
import { generatedText, insideTag, isCaveat, isInterruptMarker, isWrapper, rawText } from "./markers.ts";
import { blocksOf, hasToolResult } from "./native.ts";
import { obj, str, type Native } from "../kit/native.ts";

/** How many records a verdict may look ahead. Later records no longer change the classification. */
const REACH = 48;

/** What the following records show; `open` if the file ended before they could decide. */
export interface LookaheadResult<T> {
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
export type CommandEffect = "model" | "local" | "unknown_command";

export interface CommandRecord {
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
export interface CompactionAhead {
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
