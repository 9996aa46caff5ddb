import type { JsonLine, Lines } from "../kit/json-lines.ts";
import { compactRefused, isLocalCommand, parseCommand, type SlashCommand } from "./commands.ts";
import { generatedText, inside, isCaveat, isInterruptMarker, rawText } from "./markers.ts";
import { blocksOf, hasToolResult } from "./native.ts";
import { obj, str, type Native } from "../kit/native.ts";

/** How far a verdict may look. Farther records can no longer change what a record is. */
const REACH = 48;

/** A verdict drawn from the records that follow; `open` when the file ended before they could decide. */
export interface Foreseen<T> {
  value: T;
  open: boolean;
}

type Look<T> = (record: Native) => T | undefined;

/** The first answer among the following records. A torn last line counts as the end of the file. */
function scan<T>(lines: Lines, look: Look<T>, otherwise: T): Foreseen<T> {
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

/** What a slash command led to: work of a model, an answer of the client alone, or a reply that it does not exist. */
export type CommandEffect = "model" | "local" | "unknown_command";

export function foreseeCommand(lines: Lines, command: SlashCommand, startsTurn: boolean): Foreseen<CommandEffect> {
  if (isLocalCommand(command)) return { value: "local", open: false };
  if (startsTurn) return { value: "model", open: false };
  let answered = false;
  const verdict = scan<CommandEffect>(
    lines,
    (record) => {
      if (isModelOutput(record)) return "model";
      if (record["type"] === "system" && record["subtype"] === "local_command") answered = true;
      else if (isMainUser(record)) {
        if (hasToolResult(blocksOf(obj(record["message"])))) return "model";
        const text = userText(record);
        const generated = generatedText(text)?.name;
        if (generated === "command_output") answered = true;
        else if (generated === "unknown_command") return "unknown_command";
        else if (record["isMeta"] === true && generated !== "caveat") return isNote(text) ? undefined : "model";
        else return answered || !command.messageFirst ? "local" : "model";
      }
      // A command recorded in the client's own form that printed something has done its work.
      return answered && !command.messageFirst ? "local" : undefined;
    },
    command.messageFirst ? "model" : "local",
  );
  return answered && verdict.open ? { value: "local", open: true } : verdict;
}

/** `/compact` makes a model write a summary, unless its output says that it never came to that. */
export function foreseeCompact(lines: Lines): Foreseen<CommandEffect> {
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
  const output = inside(text, "local-command-stdout") ?? inside(text, "local-command-stderr") ?? text;
  return compactRefused(output) ? "local" : "model";
}

/** Notes about the session that the client slips in beside commands, without asking a model. */
export function isNote(text: string): boolean {
  return /^<system-reminder>\s*The user named this session /.test(text.trimStart());
}

/** The command a caveat stands before; null when something else follows. */
export function foreseeCaveat(lines: Lines): Foreseen<SlashCommand | null> {
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

export function foreseeCompaction(lines: Lines, manual: boolean): Foreseen<CompactionAhead> {
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
 * Escape during a running tool and a refused permission leave the same tool result. Only the interrupt marker that
 * follows tells them apart: it names the message it cut off (`interruptedMessageId`) when work was running.
 */
export function foreseeInterrupt(lines: Lines): Foreseen<boolean> {
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

/** Whether the conversation goes on at all. */
export function foreseeChain(lines: Lines): Foreseen<boolean> {
  return scan<boolean>(lines, (record) => (str(record["uuid"]) === null ? undefined : true), false);
}

/** Whether attachments are kept in this file: one stands near whatever was taken into a running turn. */
export function foreseeAttachment(lines: Lines): Foreseen<boolean> {
  return scan<boolean>(
    lines,
    (record) => {
      if (record["type"] === "attachment") return true;
      return record["type"] === "assistant" ? false : undefined;
    },
    false,
  );
}

/** Whether the next record of the conversation is one a human may have written: request copies can come before it. */
export function foreseePrompt(lines: Lines): Foreseen<boolean> {
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
