/** What the model works with: settings, instructions, and the compactions that replace its history. */
import type {
  AssistantFinishedBody,
  CompactedBody,
  ContextBody,
  RateLimitWindow,
  RateLimits,
  RecordBody,
} from "../../record/record.ts";
import { quickHash } from "../../base/io/hash.ts";
import {
  NO_INSTRUCTIONS,
  changedInstructions,
  toInstructions,
  type Instruction,
  type Instructions,
} from "../kit/instructions.ts";
import {
  assistantText,
  contentOf,
  echoOf,
  fieldsOf,
  fragmentOf,
  isFields,
  isTurnEnd,
  listOf,
  nameOf,
  numberOf,
  stringOf,
  timeOf,
  wordOf,
  type Fields,
  type NativeRecord,
} from "./native.ts";
import {
  LOOKAHEAD,
  humanAction,
  pushRecent,
  reaction,
  verdict,
  type ClassifyContext,
  type ReaderState,
  type Verdict,
} from "./state.ts";

/** Policies are strings in old files and tagged objects in new ones. */
function policyOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  const fields = fieldsOf(value);
  return wordOf(fields.type) ?? wordOf(fields.mode) ?? Object.keys(fields)[0] ?? null;
}

/** `turn_context` and `thread_settings`: the settings in force from here on. */
export function settingsBody(settings: Fields, turnId: string | null, state: ReaderState): ContextBody {
  const body: ContextBody = { type: "context" };
  if (turnId !== null) body.native_turn_id = turnId;
  const model = wordOf(settings.model);
  if (model !== null) {
    body.model = model;
    state.model = model;
  }
  if (turnId !== null) noteMode(state, settings.collaboration_mode);
  const effort = wordOf(settings.effort) ?? wordOf(settings.reasoning_effort);
  if (effort !== null) body.effort = effort;
  if (settings.approval_policy !== undefined) body.approval_policy = policyOf(settings.approval_policy);
  if (settings.sandbox_policy !== undefined) {
    body.sandbox = policyOf(settings.sandbox_policy);
    const { network_access: network } = fieldsOf(settings.sandbox_policy);
    if (typeof network === "boolean") body.network = network;
    body.sandbox_excludes = excludesOf(fieldsOf(settings.sandbox_policy));
  }
  // Thread settings only state a preference; a turn states what was requested from the model.
  const summary = wordOf(settings.summary);
  if (summary !== null) body.reasoning_summary = summary;
  const cwd = nameOf(settings.cwd);
  if (cwd !== null) {
    body.cwd = cwd;
    state.cwd = cwd;
  }
  return body;
}

/** The mode that tasks run in; tasks and contexts state it (0.99 and later). */
export function noteMode(state: ReaderState, mode: unknown): void {
  state.mode = wordOf(fieldsOf(mode).mode) ?? wordOf(mode) ?? state.mode;
}

/** Which flags like `exclude_slash_tmp` are set; null for a sandbox without such flags. */
function excludesOf(policy: Fields): string[] | null {
  const flags = Object.keys(policy).filter((name) => name.startsWith("exclude_"));
  return flags.length === 0 ? null : flags.filter((name) => policy[name] === true).map((name) => name.slice(8));
}

/** Every task and token count states the size of the context window; only a change is reported. */
export function contextWindow(value: unknown, state: ReaderState): ContextBody[] {
  const tokens = numberOf(value);
  if (tokens === null || tokens === state.window) return [];
  state.window = tokens;
  return [{ type: "context", context_window: tokens }];
}

const MOST_NAMES = 200;

/** The names in a list, cut to a number that a person would read. */
function namesIn(value: unknown): string[] {
  const names = listOf(value).flatMap((name) => wordOf(name) ?? []);
  const more = names.length - MOST_NAMES;
  return more <= 0 ? names : [...names.slice(0, MOST_NAMES), `… and ${more} more`];
}

/** The ghost commit that Codex made before it began to work. */
export function ghostBody(snapshot: Fields): ContextBody | null {
  const commit = fieldsOf(snapshot.ghost_commit);
  const id = wordOf(commit.id);
  if (id === null) return null;
  return {
    type: "context",
    git: {
      ghost_commit: id,
      ghost_parent: wordOf(commit.parent),
      untracked_files: namesIn(commit.preexisting_untracked_files),
      untracked_dirs: namesIn(commit.preexisting_untracked_dirs),
    },
  };
}

function windowOf(value: unknown, time: number | null): RateLimitWindow | null {
  if (!isFields(value)) return null;
  const used = numberOf(value.used_percent);
  if (used === null) return null;
  let resets: number | null = timeOf(value.resets_at);
  const unix = numberOf(value.resets_at);
  if (unix !== null) resets = unix * 1000;
  const seconds = numberOf(value.resets_in_seconds);
  if (resets === null && seconds !== null && time !== null) resets = time + seconds * 1000;
  return {
    used_percent: used,
    window_minutes: numberOf(value.window_minutes),
    resets_at: resets === null || Math.abs(resets) > 8.64e15 ? null : new Date(resets).toISOString(),
  };
}

/** Every token count states the rate limits; only a change is reported. */
export function rateLimitsBody(value: unknown, time: number | null, state: ReaderState): ContextBody | null {
  if (!isFields(value)) return null;
  const printed = JSON.stringify(value);
  if (printed === state.rateLimits) return null;
  const limits: RateLimits = {
    limit_id: stringOf(value.limit_id),
    plan: stringOf(value.plan_type),
    primary: windowOf(value.primary ?? flatWindow(value, "primary"), time),
    secondary: windowOf(value.secondary ?? flatWindow(value, "secondary"), time),
  };
  const credits = value.credits;
  if (isFields(credits)) {
    const { balance } = credits;
    limits.credits = {
      has_credits: credits.has_credits === true,
      unlimited: credits.unlimited === true,
      balance: typeof balance === "number" ? String(balance) : stringOf(balance),
    };
  }
  state.rateLimits = printed;
  if (!limits.primary && !limits.secondary && !limits.credits && limits.plan === null) return null;
  return { type: "context", rate_limits: limits };
}

/** The first form of rate limits was flat: `primary_used_percent`, `primary_window_minutes`. */
function flatWindow(value: Fields, name: string): Fields {
  return { used_percent: value[`${name}_used_percent`], window_minutes: value[`${name}_window_minutes`] };
}

const ENVIRONMENT = {
  cwd: /<cwd>([^<]*)<\/cwd>|^Current working directory: (.+)$/im,
  approval: /<approval_policy>([^<]*)<\/approval_policy>|^Approval policy: (.+)$/im,
  sandbox: /<sandbox_mode>([^<]*)<\/sandbox_mode>|^Sandbox mode: (.+)$/im,
  network: /<network_access>([^<]*)<\/network_access>|^Network access: (.+)$/im,
} as const;

/** The environment message: in files without `turn_context` the only statement of the directory and the policies. */
export function environmentBody(text: string, state: ReaderState): ContextBody | null {
  if (!state.bare && state.cwd !== null) return null;
  const find = (name: keyof typeof ENVIRONMENT): string | null => {
    const match = ENVIRONMENT[name].exec(text);
    return wordOf((match?.[1] ?? match?.[2])?.trim());
  };
  const body: ContextBody = { type: "context" };
  const cwd = find("cwd");
  if (cwd !== null) {
    body.cwd = cwd;
    state.cwd = cwd;
  }
  const approval = find("approval");
  if (approval !== null) body.approval_policy = approval;
  const sandbox = find("sandbox");
  if (sandbox !== null) body.sandbox = sandbox;
  const network = find("network");
  if (network !== null) body.network = network === "enabled" || network === "full";
  return Object.keys(body).length > 1 ? body : null;
}

/** By default Codex reads at most this much of AGENTS.md files, and does not say when it omits the rest. */
const MOST_AGENTS_BYTES = 32 * 1024;

/**
 * Fields of the header (`instructions` up to 0.63, `base_instructions` since) and of `turn_context`, which repeats
 * them.
 */
const INSTRUCTION_FIELDS: readonly (readonly [field: string, kind: string])[] = [
  ["base_instructions", "base"],
  ["instructions", "instructions"],
  ["user_instructions", "instructions"],
  ["developer_instructions", "developer"],
];

export function statedInstructions({ record, state }: ClassifyContext): Instructions {
  const list = INSTRUCTION_FIELDS.flatMap(([field, kind]): Instruction[] => {
    const value = record.payload[field];
    const text = wordOf(isFields(value) ? value.text : value);
    return text === null ? [] : [kind === "instructions" ? fileOf(text, null) : { kind, path: null, text }];
  });
  return list.length === 0 ? NO_INSTRUCTIONS : changedInstructions(toInstructions(list), state.instructions);
}

/** `<permissions instructions>`, `<skills_instructions>`, `<collaboration_mode>`: the tag names the topic. */
const TOPIC_TAG = /^\s*<([a-z][a-z_]*?)(?:[ _]instructions)?>/i;

/** Developer and system messages: one text per topic. */
export function spokenInstructions({ record }: ClassifyContext): Instructions {
  const { texts } = contentOf(record.payload.content);
  return toInstructions(texts.map((text) => ({ kind: TOPIC_TAG.exec(text)?.[1] ?? "message", path: null, text })));
}

/** User-role messages written by the client: AGENTS.md, skills. */
export function injectedInstructions(texts: readonly string[]): Instructions {
  return toInstructions(
    texts.flatMap((text) => {
      const kind = fragmentOf(text);
      if (kind === "instructions") return [agentsFile(text)];
      if (kind === "skill") return [{ kind: "skill", path: SKILL_PATH.exec(text)?.[1] ?? null, text }];
      return [];
    }),
  );
}

const SKILL_PATH = /<path>\s*([^<]*?)\s*<\/path>/i;
const AGENTS_DIR = /^\s*# AGENTS\.md instructions for ([^\n]+)/i;
const WRAPPED = /<(user_instructions|instructions)>\r?\n?([\s\S]*?)\r?\n?<\/\1>\s*$/i;

/** The text of the file without the client's wrapper, so that other agents and `sha256sum` yield the same hash. */
function agentsFile(text: string): Instruction {
  const dir = AGENTS_DIR.exec(text)?.[1]
    ?.trim()
    .replace(/[/\\]+$/, "");
  const path = dir === undefined ? null : `${dir}${dir.includes("\\") ? "\\" : "/"}AGENTS.md`;
  return fileOf(WRAPPED.exec(text)?.[2] ?? text, path);
}

function fileOf(text: string, path: string | null): Instruction {
  return { kind: "instructions", path, text, truncated: Buffer.byteLength(text) === MOST_AGENTS_BYTES };
}

function isCompaction(record: NativeRecord): boolean {
  return record.type === "compacted" || record.kind === "context_compacted" || record.itemType === "ContextCompaction";
}

function isWork(record: NativeRecord): boolean {
  return record.type === "response_item" && /_call$|^reasoning$/.test(record.kind);
}

function isUser(record: NativeRecord): boolean {
  return echoOf(record) !== null || (record.type === "response_item" && record.payload.role === "user");
}

/**
 * Whether the task consists of nothing but a compaction, with no user message before its end: then the human typed
 * `/compact`. An automatic compaction happens inside a task with a prompt, or before the prompt of the next task.
 */
export function compactsOnly(ctx: ClassifyContext): "yes" | "no" | "unknown" {
  let compacted = false;
  for (let k = 0; k < LOOKAHEAD; k++) {
    const next = ctx.ahead(k);
    if (next === null) return "unknown";
    if (isCompaction(next)) compacted = true;
    else if (isTurnEnd(next)) return compacted ? "yes" : "no";
    else if (isUser(next) || isWork(next) || next.kind === "task_started") return "no";
    else if (next.itemType === "CommandExecution") return "no";
  }
  return "no";
}

/**
 * A prompt that waited for an automatic compaction is written right after it (0.80, 0.99: 2 ms); nobody types that
 * fast.
 */
const AT_ONCE_MS = 100;

function atOnce(before: NativeRecord, after: NativeRecord): boolean {
  return after.time !== null && before.time !== null && after.time - before.time < AT_ONCE_MS;
}

/**
 * The cause of a compaction: the human typed it, a prompt had to wait for it, or the agent needed it to go on working.
 */
type CompactionCause = "typed" | "waited" | "working" | "unknown";

/**
 * The cause of a compaction in files without lifecycle events (up to 0.99). After an automatic compaction the agent's
 * next item, or the prompt that exceeded the context, follows immediately. `/compact` is typed between turns: it
 * follows an answer, and the next prompt comes later or not at all. `from`: index of the first record after the
 * compaction.
 */
function compactionCause(ctx: ClassifyContext, compaction: NativeRecord, from: number): CompactionCause {
  if (isWorking(ctx.state)) return "working";
  for (let k = from; k < LOOKAHEAD; k++) {
    const next = ctx.ahead(k);
    if (next === null) return "unknown";
    if (next.kind === "agent_message" && next.payload.message === "Compact task completed") continue;
    if (echoOf(next) !== null) return atOnce(compaction, next) ? "waited" : "typed";
    if (isTurnEnd(next)) return "typed";
    if (next.type !== "response_item") {
      if (next.kind === "agent_message" || next.kind === "agent_reasoning") return "working";
      continue;
    }
    if (isWork(next) || next.payload.role === "assistant") return "working";
    if (next.payload.role === "user") {
      const text = stringOf(fieldsOf(listOf(next.payload.content)[0]).text) ?? "";
      if (fragmentOf(text) === null) return atOnce(compaction, next) ? "waited" : "typed";
    }
  }
  return "working";
}

/** Whether a prompt was not answered yet. */
function isWorking({ last }: ReaderState): boolean {
  return last === "u" || last === "w";
}

/**
 * Whether this token count belongs to a compaction between two turns, which follows it: then it is spent by `/compact`
 * or by the prompt that waited, and not by the turn before, which may have ended hours ago. The request for the summary
 * begins with a `turn_context`; in a file without it, only what is written together belongs together.
 */
export function countsForCompaction(ctx: ClassifyContext): { early: boolean; tentative: boolean } {
  const { record, state } = ctx;
  const no = { early: false, tentative: false };
  if (state.lifecycle || isWorking(state) || state.kind !== "root") return no;
  for (let k = 0; k < LOOKAHEAD; k++) {
    const next = ctx.ahead(k);
    if (next === null) return { early: false, tentative: true };
    if (next.type === "compacted") {
      if (state.last !== "r" && !atOnce(record, next)) return no;
      const cause = compactionCause(ctx, next, k + 1);
      return { early: cause === "waited" || isTypedCompaction(cause, state), tentative: cause === "unknown" };
    }
    if (next.kind !== "token_count") return no;
  }
  return no;
}

/** `exec` has no slash commands. */
function isTypedCompaction(cause: CompactionCause, { entry }: ReaderState): boolean {
  return (cause === "typed" || cause === "unknown") && entry !== "headless";
}

/**
 * Whether this message of the model is the summary that the `compacted` record after it repeats, below a preface. Only
 * 0.166 and later mark such messages.
 */
export function isSummary(ctx: ClassifyContext): boolean {
  const text = assistantText(ctx.record);
  for (let k = 0; k < 4; k++) {
    const next = ctx.ahead(k);
    if (next?.type === "compacted") return text !== "" && (stringOf(next.payload.message)?.endsWith(text) ?? false);
    if (next?.kind !== "token_count" && next?.type !== "token_usage_record") return false;
  }
  return false;
}

export function compacted(ctx: ClassifyContext): Verdict {
  const { record, state, full } = ctx;
  const body: CompactedBody = { type: "compacted", trigger: "unknown" };
  const summary = wordOf(record.payload.message);
  if (summary !== null && full) body.summary = summary;
  const { messages, snapshots } = retainedIn(record.payload.replacement_history, state);
  if (messages.length > 0 && full) body.retained = messages;
  const records: RecordBody[] = [body, ...(ctx.detailed ? snapshots : [])];
  state.compacted = "stated";
  if (state.turn) {
    if (state.turn.prompts > 0) state.turn.output = true;
    body.trigger = state.turn.compact ? "manual" : "auto";
    return reaction("codex.compacted", ...records);
  }
  if (state.lifecycle || state.kind !== "root") return reaction("codex.compacted", ...records);
  const cause = compactionCause(ctx, record, 0);
  const typed = isTypedCompaction(cause, state);
  body.trigger = typed ? "manual" : "auto";
  const tentative = cause === "unknown";
  if (cause === "waited") {
    state.compacted = "early";
    return verdict("early", "codex.compacted.before_prompt", records);
  }
  if (!typed) return verdict("reaction", "codex.compacted.auto", records, tentative);
  const trigger = humanAction(ctx, "/compact", "command", "codex.compaction.typed_between_turns");
  // The record is written when the compaction is done, and nothing else says so.
  const done: AssistantFinishedBody = { type: "assistant_finished", text: "", turn_ended: true };
  return { ...trigger, records: [...trigger.records, ...records, done], tentative };
}

/**
 * The client's marker of a compaction. The `compacted` record is before or right after it; without such a record the
 * marker is the only evidence. Some versions write it in two forms.
 */
export function compactionMarker(ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  if (state.turn && state.turn.prompts > 0) state.turn.output = true;
  if (state.compacted !== "")
    return verdict(state.compacted === "early" ? "early" : "reaction", "codex.compacted.marker");
  const follows = recordFollows(ctx);
  if (follows === "yes") return reaction("codex.compacted.marker_first");
  const trigger = state.turn === null ? "unknown" : state.turn.compact ? "manual" : "auto";
  state.compacted = "stated";
  return verdict("reaction", "codex.compacted.only_event", [{ type: "compacted", trigger }], follows === "unknown");
}

function recordFollows(ctx: ClassifyContext): "yes" | "no" | "unknown" {
  for (let k = 0; k < LOOKAHEAD; k++) {
    const next = ctx.ahead(k);
    if (next === null) return "unknown";
    if (next.type === "compacted") return "yes";
    if (isCompaction(next) || isTurnEnd(next) || next.kind === "task_started") return "no";
    if (isUser(next) || isWork(next) || next.payload.role === "assistant") return "no";
  }
  return "no";
}

/** More messages than any observed compaction retained. */
const MOST_RETAINED = 96;
/** Number of characters at the start of a message that survive when it is shortened. */
const HEAD_CHARS = 40;
const SHORTENED = /\d+ (?:tokens|chars|characters) truncated/;

function messageText(message: Fields): string {
  return contentOf(message.content).texts.join("\n");
}

/** Remembers a user message of the file, so that a compaction that retains it does not report it again. */
export function rememberMessage(state: ReaderState, message: Fields): void {
  rememberText(state, messageText(message));
}

export function rememberSnapshot(state: ReaderState, snapshot: Fields): void {
  const id = wordOf(fieldsOf(snapshot.ghost_commit).id);
  if (id !== null) pushRecent(state.retained, `g${id}`, MOST_RETAINED);
}

function rememberText(state: ReaderState, text: string): void {
  pushRecent(state.retained, `m${quickHash(text)}${quickHash(text.slice(0, HEAD_CHARS))}`, MOST_RETAINED);
}

function isRemembered(state: ReaderState, text: string): boolean {
  const [whole, head] = [quickHash(text), quickHash(text.slice(0, HEAD_CHARS))];
  const shortened = SHORTENED.test(text);
  return state.retained.some(
    (retained) =>
      retained.startsWith(`m${whole}`) || (shortened && retained.startsWith("m") && retained.endsWith(head)),
  );
}

interface RetainedHistory {
  messages: string[];
  snapshots: ContextBody[];
}

/**
 * A compaction replaces the history by a new one: the user's messages verbatim, an encrypted summary, and the last
 * snapshot. Nearly all of it is in the file already. Only the rest is reported, for example if the first part of the
 * file was lost or is in another file.
 */
function retainedIn(history: unknown, state: ReaderState): RetainedHistory {
  const found: RetainedHistory = { messages: [], snapshots: [] };
  for (const item of listOf(history).map(fieldsOf)) {
    if (item.type === "ghost_snapshot") {
      const body = ghostBody(item);
      if (body === null || state.retained.includes(`g${body.git?.ghost_commit ?? ""}`)) continue;
      rememberSnapshot(state, item);
      found.snapshots.push(body);
    }
    if (item.type !== "message" || item.role !== "user") continue;
    const text = messageText(item);
    if (text.trim() === "" || isRemembered(state, text)) continue;
    rememberText(state, text);
    if (contentOf(item.content).texts.every((part) => fragmentOf(part) === null)) found.messages.push(text);
  }
  return found;
}
