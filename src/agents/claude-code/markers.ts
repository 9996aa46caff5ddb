/** Texts that Claude Code writes in the user's name, commands among them; where a prompt was entered. */
import type { TriggerEntry } from "../../record/record.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { parseOrNull } from "../kit/printed-events.ts";
import { blocksOf, isSince, type Block } from "./native.ts";
import type { ReaderState } from "./state.ts";

/** Names of generated texts, used in rule names. */
export type MarkerName =
  | "agent_message"
  | "caveat"
  | "ci_event"
  | "command_output"
  | "continuation_summary"
  | "diagnostics"
  | "hook_feedback"
  | "mcp_update"
  | "no_content"
  | "observer_feed"
  | "peer_message"
  | "scheduled_task"
  | "shell_output"
  | "task_notification"
  | "teammate_message"
  | "tool_loaded"
  | "unknown_command";

/**
 * A text that Claude Code or one of its plugins writes in a `user` record. If the marker has an end tag, that must be
 * present, too: people quote such tags when they ask about them.
 */
interface Marker {
  name: MarkerName;
  author: "source" | "agent";
  start: string;
  end?: string;
}

const MARKERS: readonly Marker[] = [
  {
    name: "continuation_summary",
    author: "source",
    start: "This session is being continued from a previous conversation",
  },
  { name: "caveat", author: "source", start: "<local-command-caveat>", end: "</local-command-caveat>" },
  {
    name: "caveat",
    author: "source",
    start: "Caveat: The messages below ",
  },
  { name: "command_output", author: "source", start: "<local-command-stdout>", end: "</local-command-stdout>" },
  { name: "command_output", author: "source", start: "<local-command-stderr>", end: "</local-command-stderr>" },
  { name: "shell_output", author: "source", start: "<bash-stdout>", end: "</bash-stdout>" },
  { name: "shell_output", author: "source", start: "<bash-stderr>", end: "</bash-stderr>" },
  { name: "task_notification", author: "source", start: "<task-notification>", end: "</task-notification>" },
  // The names of task notifications in 2.0: one for shells, one for agents.
  { name: "task_notification", author: "source", start: "<bash-notification>", end: "</bash-notification>" },
  { name: "task_notification", author: "source", start: "<agent-notification>", end: "</agent-notification>" },
  { name: "task_notification", author: "source", start: "[SYSTEM NOTIFICATION" },
  { name: "hook_feedback", author: "source", start: "Stop hook feedback:" },
  { name: "hook_feedback", author: "source", start: "<user-prompt-submit-hook>", end: "</user-prompt-submit-hook>" },
  { name: "hook_feedback", author: "source", start: "<session-start-hook>", end: "</session-start-hook>" },
  { name: "hook_feedback", author: "source", start: "<post-tool-use-hook>", end: "</post-tool-use-hook>" },
  { name: "teammate_message", author: "agent", start: "<teammate-message", end: "</teammate-message>" },
  { name: "agent_message", author: "agent", start: "<agent-message from=", end: "</agent-message>" },
  { name: "peer_message", author: "agent", start: "<cross-session-message", end: "</cross-session-message>" },
  { name: "peer_message", author: "agent", start: "Another Claude session sent a message:" },
  { name: "scheduled_task", author: "source", start: "<scheduled-task", end: "</scheduled-task>" },
  { name: "ci_event", author: "source", start: "<ci-monitor-event", end: "</ci-monitor-event>" },
  { name: "ci_event", author: "source", start: "<github-webhook-activity", end: "</github-webhook-activity>" },
  { name: "mcp_update", author: "source", start: "<mcp-resource-update", end: "</mcp-resource-update>" },
  { name: "mcp_update", author: "source", start: "<mcp-polling-update", end: "</mcp-polling-update>" },
  { name: "diagnostics", author: "source", start: "<new-diagnostics>", end: "</new-diagnostics>" },
  { name: "tool_loaded", author: "source", start: "Tool loaded." },
  // claude-mem runs its own sessions that observe the human's session.
  {
    name: "observer_feed",
    author: "agent",
    start: "<observed_from_primary_session>",
    end: "</observed_from_primary_session>",
  },
  { name: "observer_feed", author: "agent", start: "You are a Claude-Mem, a specialized observer tool" },
  { name: "observer_feed", author: "agent", start: "Hello memory agent, you are continuing to observe" },
  { name: "observer_feed", author: "agent", start: "--- MODE SWITCH: PROGRESS SUMMARY ---" },
  { name: "observer_feed", author: "agent", start: "PROGRESS SUMMARY CHECKPOINT" },
];

const UNKNOWN_COMMAND = /^Unknown (?:skill|slash command|command): [^\n]*$/;

/** Written after a prompt that a hook blocked. */
const STOPPED = /^Operation stopped by hook(?:: [^\n]*)?$/;
/** Placeholder for an empty message, for example after a note to memory. */
const NO_CONTENT = "(no content)";

/** The marker that matches a generated text; null for anything a human may have written. */
export function generatedText(text: string): Pick<Marker, "name" | "author"> | null {
  const body = text.trimStart().replace(/^\uFEFF/, "");
  for (const marker of MARKERS) {
    if (!body.startsWith(marker.start)) continue;
    if (marker.end === undefined || body.includes(marker.end, marker.start.length)) return marker;
  }
  if (body.trim() === NO_CONTENT) return { name: "no_content", author: "source" };
  if (isTask(body)) return { name: "task_notification", author: "source" };
  if (UNKNOWN_COMMAND.test(body.trimEnd())) return { name: "unknown_command", author: "source" };
  if (STOPPED.test(body.trimEnd())) return { name: "hook_feedback", author: "source" };
  return null;
}

/** 2.1.45 to 2.1.50 put every background task into the queue when it starts, as an object of texts. */
function isTask(text: string): boolean {
  if (!text.startsWith('{"task_id":')) return false;
  const fields = obj(parseOrNull(text.trimEnd()));
  if (fields === null || str(fields["task_type"]) === null) return false;
  return Object.values(fields).every((value) => typeof value === "string");
}

export function isCaveat(text: string): boolean {
  return generatedText(text)?.name === "caveat";
}

export function isInterruptMarker(text: string): boolean {
  const body = text.trim();
  return body === "[Request interrupted by user]" || body === "[Request interrupted by user for tool use]";
}

/** Tags that the client puts before the human's text, in the same block or as separate blocks. */
const WRAPPERS = ["system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics"] as const;

/** Whether an editor added what it shows to the message. */
function hasEditorContext(blocks: readonly Block[]): boolean {
  return rawText(blocks).trimStart().startsWith("<ide_");
}

function wrapperAt(text: string): { end: number } | null {
  for (const tag of WRAPPERS) {
    if (!text.startsWith(`<${tag}`)) continue;
    const close = `</${tag}>`;
    const at = text.indexOf(close);
    if (at >= 0) return { end: at + close.length };
  }
  return null;
}

/** Whether the text consists of one tag that the client adds. */
export function isWrapper(text: string): boolean {
  const body = text.trim();
  const wrapper = wrapperAt(body);
  return wrapper !== null && wrapper.end === body.length;
}

function stripWrappers(text: string): string {
  let body = text;
  for (;;) {
    const trimmed = body.trimStart();
    const wrapper = wrapperAt(trimmed);
    if (!wrapper) return body;
    body = trimmed.slice(wrapper.end).trimStart();
  }
}

/** Texts that Claude Code was observed to write beside a tool result, or as separate messages after it. */
const BESIDE_RESULT = /^(?:Base directory for this skill:|\[Image: |PDF file read:|Result of calling the |Called the )/;

/** The human's text in a record of tool results, without interrupt markers and texts of the client. */
export function wordsBesideResult(blocks: readonly Block[]): HumanWords {
  const spoken = blocks.filter((block) => {
    const text = block.type === "text" ? (str(block["text"]) ?? "") : "";
    return !isInterruptMarker(text) && generatedText(text) === null && !BESIDE_RESULT.test(text.trimStart());
  });
  return humanWords(spoken, false);
}

/** The text of a user message without what the client added. */
interface HumanWords {
  text: string;
  attachments: number;
  /** The message has text, but all of it was added by the client. */
  onlyWrapped: boolean;
}

/** `verbatim`: the record proves that its text was typed, so even a text that looks like a wrapper is the human's. */
export function humanWords(blocks: readonly Block[], verbatim: boolean): HumanWords {
  const texts: string[] = [];
  let attachments = 0;
  let wrapped = 0;
  for (const block of blocks) {
    if (block.type === "image" || block.type === "document") attachments += 1;
    if (block.type !== "text") continue;
    const text = str(block["text"]) ?? "";
    if (isWrapper(text) && !(verbatim && blocks.length === 1)) wrapped += 1;
    else texts.push(text);
  }
  const first = texts[0];
  if (first !== undefined && !verbatim) texts[0] = stripWrappers(first);
  const text = texts.join("\n");
  return { text, attachments, onlyWrapped: wrapped > 0 && texts.length === 0 && attachments === 0 };
}

/** All text of a message, as written. */
export function rawText(blocks: readonly Block[]): string {
  const texts: string[] = [];
  for (const block of blocks) if (block.type === "text") texts.push(str(block["text"]) ?? "");
  return texts.join("\n");
}

/** The content of `<tag>…</tag>` if the text consists of nothing else; null otherwise. */
export function wholeEnvelope(text: string, tag: string): string | null {
  const body = text.trim();
  const [open, close] = [`<${tag}>`, `</${tag}>`];
  if (!body.startsWith(open) || body.indexOf(close) !== body.length - close.length) return null;
  return body.slice(open.length, -close.length);
}

/** The content of the first `<tag>…</tag>`; null if there is none. */
export function insideTag(text: string, tag: string): string | null {
  const open = `<${tag}>`;
  const from = text.indexOf(open);
  if (from < 0) return null;
  const to = text.indexOf(`</${tag}>`, from + open.length);
  return to < 0 ? null : text.slice(from + open.length, to);
}

/**
 * A slash command as Claude Code records it: an envelope of `<command-name>`, `<command-message>`, `<command-args>`.
 */
export interface SlashCommand {
  /** Without the slash. */
  name: string;
  /** `/name args`, as the human typed it. */
  text: string;
  /**
   * The message comes first in commands that expand to a prompt, the name in commands that the client handles itself.
   */
  messageFirst: boolean;
  /** The record also holds the prompt that the command expands to. */
  expanded?: true;
}

const ELEMENT = /\s*<(command-[a-z]+|skill-format)>([\s\S]*?)<\/\1>/y;

export function parseCommand(text: string): SlashCommand | null {
  const body = text.trim();
  if (!body.startsWith("<command-")) return null;
  const parts = new Map<string, string>();
  ELEMENT.lastIndex = 0;
  let end = 0;
  for (let match = ELEMENT.exec(body); match; match = ELEMENT.exec(body)) {
    parts.set(match[1] ?? "", match[2] ?? "");
    end = ELEMENT.lastIndex;
  }
  ELEMENT.lastIndex = 0;
  if (end !== body.length) return null;
  const name = parts.get("command-name")?.trim().replace(/^\//, "");
  if (!name) return null;
  const args = parts.get("command-args")?.trim() ?? "";
  return {
    name,
    text: args === "" ? `/${name}` : `/${name} ${args}`,
    messageFirst: body.startsWith("<command-message>"),
  };
}

/**
 * Commands that the client handles without a model. `messageFirst` tells them from custom commands of the same name.
 */
const LOCAL: ReadonlySet<string> = new Set(
  (
    "add-dir agents allowed-tools bashes bug clear color config context copy cost doctor effort exit export extra-usage fast " +
    "feedback files help hooks ide install-github-app install-slack-app keybindings login logout mcp memory migrate-installer " +
    "mobile model new output-style passes permissions plugin plugins privacy-settings quit rate-limit-options release-notes " +
    "reload-plugins remote-control remote-env rename reset resume rewind sandbox settings skills stats status " +
    "stickers tag tasks terminal-setup theme think-back todos upgrade usage vim voice web-setup"
  ).split(" "),
);

export function isLocalCommand(command: SlashCommand): boolean {
  return LOCAL.has(command.name) && !command.messageFirst;
}

/** Like `isLocalCommand`, for the command line as it was typed. */
export function isLocalText(text: string): boolean {
  const name = /^\/([\w-]+)(?:\s|$)/.exec(text)?.[1];
  return name !== undefined && LOCAL.has(name);
}

/** Whether the output of `/compact` says that it had nothing to do or failed before any request to a model. */
export function compactRefused(output: string): boolean {
  return /^\W*(?:\[[0-9;]*m)*\s*(?:Error:|No messages to compact|Not enough messages|Nothing to compact)/.test(output);
}

/** How the prompt reached Claude Code, as far as the record states it. */
export function triggerEntryOf(record: Native): TriggerEntry {
  const entrypoint = str(record["entrypoint"])?.toLowerCase() ?? null;
  if (entrypoint === null) return record["promptSource"] === "sdk" ? "headless" : "unknown";
  if (entrypoint === "cli") return "interactive";
  if (entrypoint === "sdk-cli") return "headless";
  if (entrypoint.startsWith("sdk")) return "sdk";
  return /vscode|jetbrains|desktop|ide|cursor|windsurf|zed/.test(entrypoint) ? "ide" : "unknown";
}

/** From this release on, every prompt that a program or an editor passes in goes through the queue. */
const QUEUES = [2, 0, 42];
/** From this release on, at the latest, records state it themselves. */
const STATES_ENTRY = [2, 1, 81];

/**
 * The same, inferred where the record states nothing (up to 2.1.72). A prompt typed into an idle terminal is in no
 * queue. Editors and other programs pass prompts in through the queue, editors as blocks and with a snapshot of the
 * files for the human who may want to go back, `-p` as a text.
 */
export function entryOf(record: Native, state: ReaderState): TriggerEntry {
  const stated = triggerEntryOf(record);
  if (stated !== "unknown" || str(record["entrypoint"]) !== null) return stated;
  const message = obj(record["message"]);
  if (hasEditorContext(blocksOf(message))) return "ide";
  const version = str(record["version"]);
  if (!isSince(version, QUEUES) || isSince(version, STATES_ENTRY)) return "unknown";
  const isText = typeof message?.["content"] === "string";
  switch (state.passage) {
    case "none":
      return isText ? "interactive" : "unknown";
    case "idle":
      return isText ? "headless" : "sdk";
    case "snapshot":
      return isText ? "unknown" : "ide";
    case "busy":
      return "unknown";
    default:
      return state.passage satisfies never;
  }
}
