import type { TriggerEntry, TriggerKind } from "../../format/record.ts";
import type { EntryClass } from "../contract.ts";
import { parseCommand, type SlashCommand } from "./commands.ts";
import { generatedText, humanWords, isInterruptMarker, rawText, wholeEnvelope, wordsBesideResult } from "./markers.ts";
import type { MarkerName } from "./markers.ts";
import { blocksOf, hasToolResult, type Block } from "./native.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { calledAfter, type Reason } from "./reasons.ts";
import { isProbe } from "../kit/probe.ts";

/** What a `user` record is, decided from the record alone. */
export interface UserVerdict {
  /** What the reader has to do with it beyond noting the text. */
  role:
    | "prompt"
    | "command"
    | "shell_input"
    | "shell_output"
    | "command_output"
    | "caveat"
    | "interrupt"
    | "notification"
    | "summary"
    | "tool_result"
    | "probe"
    | "injected";
  class: EntryClass;
  reason: Reason;
  author: "human" | "source" | "agent";
  text: string;
  attachments: number;
  kind?: TriggerKind;
  /** Where it is not what the record says of its way in. */
  entry?: TriggerEntry;
  command?: SlashCommand;
}

/** Prompts that programs send to see whether Claude Code answers at all. */
const PROBES: ReadonlySet<string> = new Set(["Warmup", "/usage"]);
const OBSERVER_CWD = /[\\/]\.claude-mem[\\/]observer-sessions/;
const REFUSAL = /^The user doesn't want to (?:proceed with this tool use|take this action right now)/;
const PLAN = /^Implement the following plan:\s*\n/;

export interface JudgeContext {
  /** The record stands in a subagent's file or chain: its prompts were written by an agent. */
  sidechain: boolean;
  /** No trigger has been met in this file. */
  first: boolean;
  /** A turn is being worked on. */
  running: boolean;
}

/** Strongest evidence first: what the record says about its origin, then its structure, then its text. */
export function judgeUser(record: Native, ctx: JudgeContext): UserVerdict {
  const message = obj(record["message"]);
  const blocks = blocksOf(message);
  const text = rawText(blocks);
  const not: Not = (role, reason, author = "source") => ({
    role,
    class: "reaction",
    reason,
    author,
    text,
    attachments: 0,
  });
  if (hasToolResult(blocks)) return judgeToolResult(record, blocks, not("tool_result", "claude.tool_result"), ctx);
  if (ctx.sidechain) {
    if (isInterruptMarker(text)) return not("interrupt", "claude.sidechain.interrupt");
    const added = record["isMeta"] === true || record["isCompactSummary"] === true || generatedText(text) !== null;
    return added ? not("injected", "claude.sidechain.injected") : not("injected", "claude.sidechain.task", "agent");
  }
  if (record["isCompactSummary"] === true || record["isVisibleInTranscriptOnly"] === true)
    return not("summary", "claude.compact.summary");
  if (!message || (message["role"] !== undefined && message["role"] !== "user"))
    return not("injected", "claude.user.other_role");
  if ((record["toolUseResult"] ?? null) !== null || str(record["sourceToolAssistantUUID"]) !== null)
    return not("injected", "claude.user.tool_side_effect");
  const generated = generatedText(text);
  if (record["isMeta"] === true) {
    if (generated?.name === "caveat") return not("caveat", "claude.command.caveat");
    return not("injected", str(record["sourceToolUseID"]) === null ? "claude.user.meta" : "claude.user.tool_expansion");
  }
  if (str(record["sourceToolUseID"]) !== null) return not("injected", "claude.user.tool_expansion");
  const machine = machineOrigin(record);
  if (machine !== null) {
    const role = generated?.name === "task_notification" ? "notification" : "injected";
    return not(role, machine, machine === "claude.user.origin_peer" ? "agent" : "source");
  }
  return judgeText(record, blocks, text, ctx, not);
}

type Not = (role: UserVerdict["role"], reason: Reason, author?: UserVerdict["author"]) => UserVerdict;

function judgeText(record: Native, blocks: readonly Block[], text: string, ctx: JudgeContext, not: Not): UserVerdict {
  const command = parseCommand(text) ?? leadingCommand(blocks);
  if (command) {
    return { ...not("command", "claude.command.model", "human"), text: command.text, command, kind: "command" };
  }
  const typed = typedEvidence(record);
  // A `!` command is written without any word about its origin: people who type the tag are told apart by theirs.
  const shell = typed === null ? wholeEnvelope(text, "bash-input") : null;
  if (shell !== null) {
    const verdict = not("shell_input", "claude.shell.input", "human");
    return { ...verdict, class: "trigger", text: `!${shell}`, kind: "shell" };
  }
  // Plug-ins that watch a session drive another one through the SDK.
  const driven = record["promptSource"] === "sdk" ? generatedText(text) : null;
  if (driven?.name === "observer_feed") return not("injected", "claude.user.observer_feed", "agent");
  if (typed === null) {
    if (isInterruptMarker(text)) return not("interrupt", "claude.interrupt");
    const generated = generatedText(text);
    if (generated) return not(roleOf(generated.name), ruleOf(generated.name), generated.author);
    const memory = wholeEnvelope(text, "user-memory-input");
    if (memory !== null)
      return { ...not("probe", "claude.user.memory_input", "human"), class: "session", text: `#${memory}` };
  }
  const words = humanWords(blocks, typed !== null && ownsWholeText(record));
  if (words.onlyWrapped) return not("injected", "claude.user.reminder");
  const inner = typed === null ? generatedText(words.text) : null;
  if (inner) return not(roleOf(inner.name), ruleOf(inner.name), inner.author);
  if (OBSERVER_CWD.test(str(record["cwd"]) ?? "")) return not("injected", "claude.user.observer_session", "agent");
  if (ctx.first && PROBES.has(words.text.trim())) return { ...not("probe", "claude.user.probe"), class: "session" };
  const entry = entryOf(record);
  const probe = ctx.first && (entry === "headless" || entry === "sdk") && isProbe(words.text);
  const plan = str(record["planContent"]) !== null || (typed === null && PLAN.test(words.text));
  return {
    role: "prompt",
    class: "trigger",
    reason: probe
      ? "claude.automation.probe"
      : plan
        ? "claude.user.plan_handover"
        : (typed ?? turnEvidence(record) ?? "claude.user.plain"),
    ...(probe ? { entry: "automated" } : {}),
    author: "human",
    text: words.text,
    attachments: words.attachments,
    kind: plan ? "command" : record["promptSource"] === "queued" ? "queued" : "prompt",
  };
}

/** Some versions put the command and the prompt it expands to into one record, as two blocks. */
function leadingCommand(blocks: readonly Block[]): SlashCommand | null {
  const [first, ...rest] = blocks;
  if (first?.type !== "text" || !rest.some((block) => block.type === "text")) return null;
  const command = parseCommand(str(first["text"]) ?? "");
  return command && { ...command, expanded: true };
}

function ruleOf(marker: MarkerName): Reason {
  return marker === "caveat" ? "claude.command.caveat" : `claude.user.${marker}`;
}

function roleOf(marker: MarkerName): UserVerdict["role"] {
  switch (marker) {
    case "caveat":
    case "command_output":
    case "shell_output":
      return marker;
    case "task_notification":
      return "notification";
    case "continuation_summary":
      return "summary";
    case "no_content":
      return "probe";
    default:
      return "injected";
  }
}

/** Words of the human may stand beside a tool's result: a reason to refuse it, or what was typed while it ran. */
function judgeToolResult(
  record: Native,
  blocks: readonly Block[],
  verdict: UserVerdict,
  ctx: JudgeContext,
): UserVerdict {
  if (ctx.sidechain) return { ...verdict, reason: "claude.sidechain.tool_result" };
  if (record["isMeta"] === true || machineOrigin(record) !== null) return verdict;
  const words = wordsBesideResult(blocks);
  if (words.text.trim() === "") return verdict;
  const refused = blocks.some((block) => block.type === "tool_result" && REFUSAL.test(resultText(block)));
  return {
    ...verdict,
    class: "trigger",
    reason: refused ? "claude.tool_result.feedback" : "claude.tool_result.prompt",
    author: "human",
    text: words.text,
    attachments: words.attachments,
    kind: refused ? "answer" : ctx.running ? "queued" : "prompt",
  };
}

/** The text of a `tool_result` block, whose content is a string or blocks. */
export function resultText(block: Block): string {
  return rawText(blocksOf(block));
}

export function isRefusal(text: string): boolean {
  return REFUSAL.test(text);
}

/** The record itself names an author that is not a human. */
function machineOrigin(record: Native): Reason | null {
  const origin = str(obj(record["origin"])?.["kind"]);
  if (origin !== null && origin !== "human")
    return calledAfter("user.origin_", slug(origin), "claude.user.origin_other");
  if (origin === null && record["promptSource"] === "system") return "claude.user.prompt_source_system";
  const turn = str(record["turnOrigin"]);
  return origin === null && turn !== null && turn !== "human" && turn !== "sdk" ? turnRule(turn) : null;
}

function turnRule(turn: string): Reason {
  return calledAfter("user.turn_origin_", slug(turn), "claude.user.turn_origin_other");
}

/** The record itself says that its text was typed by a human or handed in by the program that drives Claude Code. */
function typedEvidence(record: Native): Reason | null {
  const source = str(record["promptSource"]);
  if (source !== null) return calledAfter("user.prompt_source_", slug(source), "claude.user.prompt_source_other");
  return str(obj(record["origin"])?.["kind"]) === "human" ? "claude.user.origin_human" : null;
}

/** Weaker: the record opens a turn of a human, which the output of a `!` command does as well. */
function turnEvidence(record: Native): Reason | null {
  const turn = str(record["turnOrigin"]);
  return turn === null ? null : turnRule(turn);
}

/** Terminal and `-p` write reminders as records of their own; other clients glue them to the human's text. */
function ownsWholeText(record: Native): boolean {
  return record["entrypoint"] === "cli" || record["entrypoint"] === "sdk-cli";
}

function slug(value: string): string {
  return value
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .slice(0, 40);
}

/** How the prompt reached Claude Code. */
export function entryOf(record: Native): TriggerEntry {
  const entrypoint = str(record["entrypoint"])?.toLowerCase() ?? null;
  if (entrypoint === null) return record["promptSource"] === "sdk" ? "headless" : "unknown";
  if (entrypoint === "cli") return "interactive";
  if (entrypoint === "sdk-cli") return "headless";
  if (entrypoint.startsWith("sdk")) return "sdk";
  return /vscode|jetbrains|desktop|ide|cursor|windsurf|zed/.test(entrypoint) ? "ide" : "unknown";
}
