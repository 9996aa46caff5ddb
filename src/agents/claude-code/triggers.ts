/** Who wrote a record in the user's role: what a human typed, refused or stopped. */
import type { TriggerEntry, TriggerKind } from "../../record/record.ts";
import type { EntryClass } from "../contract.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { isProbe } from "../kit/prompts.ts";
import { verdict } from "../kit/verdict.ts";
import {
  generatedText,
  humanWords,
  isInterruptMarker,
  parseCommand,
  rawText,
  triggerEntryOf,
  wholeEnvelope,
  wordsBesideResult,
  type MarkerName,
  type SlashCommand,
} from "./markers.ts";
import { blocksOf, hasToolResult, type Block } from "./native.ts";
import { reasonNamed, type ClassifyContext, type Reason, type Verdict } from "./rules.ts";

/** The classification of a `user` record, decided from the record alone. */
export interface UserVerdict {
  /** How the reader handles the record beyond keeping its text. */
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
  /** Overrides how the prompt reached Claude Code according to the record. */
  entry?: TriggerEntry;
  command?: SlashCommand;
}

/** Prompts that programs send to check that Claude Code answers at all. */
const PROBES: ReadonlySet<string> = new Set(["Warmup", "/usage"]);
const OBSERVER_CWD = /[\\/]\.claude-mem[\\/]observer-sessions/;
const REFUSAL = /^The user doesn't want to (?:proceed with this tool use|take this action right now)/;
const PLAN = /^Implement the following plan:\s*\n/;

interface JudgeContext {
  /** The record is in a subagent's file or chain, where prompts are written by an agent. */
  sidechain: boolean;
  /** No trigger has been seen in this file. */
  first: boolean;
  /** A turn is in progress. */
  running: boolean;
}

/** Checks the strongest evidence first: the record's stated origin, then its structure, then its text. */
export function judgeUser(record: Native, ctx: JudgeContext): UserVerdict {
  const message = obj(record["message"]);
  const blocks = blocksOf(message);
  const text = rawText(blocks);
  const not: VerdictMaker = (role, reason, author = "source") => ({
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

type VerdictMaker = (role: UserVerdict["role"], reason: Reason, author?: UserVerdict["author"]) => UserVerdict;

function judgeText(
  record: Native,
  blocks: readonly Block[],
  text: string,
  ctx: JudgeContext,
  not: VerdictMaker,
): UserVerdict {
  const command = parseCommand(text) ?? leadingCommand(blocks);
  if (command) {
    return { ...not("command", "claude.command.model", "human"), text: command.text, command, kind: "command" };
  }
  const typed = typedEvidence(record);
  // The record of a `!` command states no origin; a prompt in which a human typed this tag does.
  const shell = typed === null ? wholeEnvelope(text, "bash-input") : null;
  if (shell !== null) {
    const verdict = not("shell_input", "claude.shell.input", "human");
    return { ...verdict, class: "trigger", text: `!${shell}`, kind: "shell" };
  }
  // Plug-ins that observe a session run a second session through the SDK.
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
  const entry = triggerEntryOf(record);
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

/** Some versions write the command and the prompt it expands to as two blocks of one record. */
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

/** A tool result may be accompanied by text of the human: the reason for a refusal, or what was typed while it ran. */
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

/** The rule by which the record itself names a non-human author; null if it does not. */
function machineOrigin(record: Native): Reason | null {
  const origin = str(obj(record["origin"])?.["kind"]);
  if (origin !== null && origin !== "human")
    return reasonNamed("user.origin_", slug(origin), "claude.user.origin_other");
  if (origin === null && record["promptSource"] === "system") return "claude.user.prompt_source_system";
  const turn = str(record["turnOrigin"]);
  return origin === null && turn !== null && turn !== "human" && turn !== "sdk" ? turnRule(turn) : null;
}

function turnRule(turn: string): Reason {
  return reasonNamed("user.turn_origin_", slug(turn), "claude.user.turn_origin_other");
}

/**
 * The rule by which the record states that its text was typed by a human or passed in by a program; null if it does
 * not.
 */
function typedEvidence(record: Native): Reason | null {
  const source = str(record["promptSource"]);
  if (source !== null) return reasonNamed("user.prompt_source_", slug(source), "claude.user.prompt_source_other");
  return str(obj(record["origin"])?.["kind"]) === "human" ? "claude.user.origin_human" : null;
}

/** Weaker evidence: the record opens a turn of a human, but so does the output of a `!` command. */
function turnEvidence(record: Native): Reason | null {
  const turn = str(record["turnOrigin"]);
  return turn === null ? null : turnRule(turn);
}

/** Terminal and `-p` write reminders as separate records; other clients prepend them to the human's text. */
function ownsWholeText(record: Native): boolean {
  return record["entrypoint"] === "cli" || record["entrypoint"] === "sdk-cli";
}

function slug(value: string): string {
  return value
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .slice(0, 40);
}

const BLOCKED = "UserPromptSubmit operation blocked by hook:";
const ORIGINAL = "\n\nOriginal prompt: ";

interface BlockedPrompt {
  text: string;
  why: string;
}

/** When a hook refuses a prompt, Claude Code writes a notice that quotes the prompt instead of a `user` record. */
function blockedPrompt(record: Native): BlockedPrompt | null {
  const content = str(record["content"]) ?? "";
  const at = content.startsWith(BLOCKED) ? content.indexOf(ORIGINAL) : -1;
  if (at < 0) return null;
  return { text: content.slice(at + ORIGINAL.length), why: content.slice(BLOCKED.length, at).trim() };
}

/** The verdict on such a notice; null for any other notice. */
export function classifyBlocked(record: Native, ctx: ClassifyContext): Verdict | null {
  const blocked = blockedPrompt(record);
  if (blocked === null) return null;
  const { text, why } = blocked;
  const { state } = ctx;
  if (state.kind !== "root" || record["isSidechain"] === true) return verdict("reaction", "claude.hook.blocked_prompt");
  return verdict("trigger", "claude.hook.blocked_prompt", () => {
    state.triggers += 1;
    state.turn = "completed";
    state.command = "none";
    state.shell = null;
    const message = why === "" ? "blocked by a hook" : `blocked by a hook: ${why}`;
    return [
      { type: "user", author: "human", text, kind: "prompt", entry: triggerEntryOf(record) },
      { type: "failed", message, code: "hook_blocked", turn_ended: true },
    ];
  });
}
