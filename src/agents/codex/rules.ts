/** What each record is, by its type: items of the conversation as the model sees it, and events and items for clients. */
import type { UserBody } from "../../record/record.ts";
import { quickHash } from "../../base/io/hash.ts";
import { filesOfChanges, finishByItem, finishByOutput, isNotice, printedExit, startCall, type Call } from "./calls.ts";
import { link, linksInActivity, linksInCollab, linksInMail, linksInNotification, linksInOutput } from "./children.ts";
import {
  compactionMarker,
  contextWindow,
  countsForCompaction,
  ghostBody,
  isSummary,
  rateLimitsBody,
  rememberMessage,
  rememberSnapshot,
  settingsBody,
  spokenInstructions,
} from "./context.ts";
import {
  assistantText,
  contentOf,
  fieldsOf,
  fragmentOf,
  listOf,
  nativePath,
  nativeTurnId,
  plainText,
  stringOf,
  wordOf,
  type Fields,
  type NativeRecord,
} from "./native.ts";
import { commandText, shellFromCommand, userEcho, userMessage } from "./prompts.ts";
import { fromCommand, fromPatch, fromToolCall, settlementOf } from "./settlement.ts";
import {
  noteAnswer,
  noteOutput,
  pushRecent,
  reaction,
  removeOne,
  setup,
  unknownType,
  verdict,
  withInstructions,
  type ClassifyContext,
  type Reason,
  type Verdict,
} from "./state.ts";
import {
  enteredReview,
  exitedReview,
  failed,
  goalUpdated,
  noteGoalCall,
  planShown,
  rolledBack,
  turnAborted,
  turnCompleted,
  turnStarted,
} from "./turns.ts";
import { markTotalsInherited, totalOf, usageOfCount, type OwnUsage } from "./usage.ts";

/** `response_item`: the conversation as the model sees it. */
export function responseItem(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const { payload } = record;
  switch (record.kind) {
    case "message":
      return message(ctx);
    case "agent_message":
      return mail(ctx);
    case "reasoning":
      noteOutput(ctx);
      return speechItem(ctx, "thought");
    case "function_call":
      return call(ctx, stringOf(payload.name) ?? "function", payload.arguments);
    case "custom_tool_call":
      return call(ctx, stringOf(payload.name) ?? "custom", payload.input);
    case "local_shell_call":
      return call(ctx, "local_shell", payload.action);
    case "tool_search_call":
      return call(ctx, "tool_search", payload.arguments);
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
    case "tool_search_output":
      return output(ctx);
    case "web_search_call":
      return selfSettling(ctx, "web_search", payload.action);
    case "image_generation_call":
      return selfSettling(ctx, "image_generation", payload.revised_prompt);
    case "ghost_snapshot": {
      const commit = ghostBody(payload);
      rememberSnapshot(state, payload);
      return reaction("codex.ghost_snapshot", ...(commit === null ? [] : [commit]));
    }
    case "compaction":
    case "compaction_summary":
    case "context_compaction":
    case "compaction_trigger":
      if (state.turn) state.turn.output = true;
      return reaction("codex.compaction.opaque");
    case "additional_tools":
      return setup("codex.tools");
    default:
      return unknownType(nativePath(record));
  }
}

function message(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const role = stringOf(record.payload.role);
  if (role === "user") {
    rememberMessage(state, record.payload);
    return userMessage(ctx);
  }
  if (role === "assistant") {
    if (state.turn) state.turn.output = true;
    // The summary requested by a compaction; the `compacted` record reports it.
    if (record.metadata.compaction_output === true || state.turn?.compact === true || isSummary(ctx))
      return reaction("codex.compaction.output");
    state.last = "m";
    state.compacted = "";
    return speechItem(ctx, "said");
  }
  const text = contentOf(record.payload.content).texts.join("\n");
  const kind = fragmentOf(text);
  if (kind === "aborted") return reaction("codex.developer.aborted");
  if (kind === "notification") return reaction("codex.developer.notification", ...linksInNotification(state, text));
  return withInstructions(ctx, setup(role === "developer" ? "codex.developer" : "codex.system"), () =>
    spokenInstructions(ctx),
  );
}

/** Messages between agents. `encrypted_content` is kept only if it contains white space: then it is plain text. */
export function mail(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const { payload } = record;
  const sealed = listOf(payload.content).flatMap((part) => wordOf(fieldsOf(part).encrypted_content) ?? []);
  const text = plainText(payload.content) + sealed.filter((part) => /\s/.test(part)).join("");
  const author = wordOf(payload.author);
  if (state.turn) state.turn.prompts++;
  state.mailed = true;
  const body: UserBody = { type: "user", author: "agent", text };
  const turnId = nativeTurnId(record);
  if (turnId !== null) body.native_turn_id = turnId;
  return reaction("codex.agent_mail", body, ...linksInMail(state, author, text));
}

function call(ctx: ClassifyContext, name: string, input: unknown): Verdict {
  const { record } = ctx;
  noteOutput(ctx);
  noteGoalCall(ctx, name, input);
  // No other record can settle a call without an id, so an id made from the line number is enough.
  const id = wordOf(record.payload.call_id) ?? wordOf(record.payload.id) ?? `line-${record.line}`;
  return reaction(
    "codex.tool.call",
    startCall(ctx, { id, name, input, turn: nativeTurnId(record) ?? ctx.state.turn?.id ?? null }),
  );
}

function output(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const id = wordOf(record.payload.call_id);
  if (id === null) return reaction("codex.tool.output_without_call");
  noteOutput(ctx);
  const text = plainText(record.payload.output);
  if (isNotice(ctx, id, text)) return reaction("codex.tool.notice");
  const links = linksInOutput(state, id, text);
  return reaction("codex.tool.output", ...finishByOutput(ctx, id, text, printedExit(record.payload.output)), ...links);
}

function selfSettling(ctx: ClassifyContext, name: string, input: unknown): Verdict {
  const { record } = ctx;
  noteOutput(ctx);
  const id = wordOf(record.payload.call_id) ?? wordOf(record.payload.id) ?? `line-${record.line}`;
  const status = stringOf(record.payload.status);
  const started: Call = { id, name, input: input ?? null, turn: nativeTurnId(record) };
  const end = settlementOf(status === "failed" || status === "incomplete" ? "failed" : "ok");
  return reaction("codex.tool.self_settled", ...finishByItem(ctx, started, end));
}

/** `event_msg`: events for clients. Many of them repeat response items; the rest is the lifecycle of turns. */
export function event(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const { payload } = record;
  switch (record.kind) {
    case "user_message":
      return userEcho(ctx);
    case "agent_message":
      // Up to 0.99 the client writes this message after a compaction, not the model.
      if (payload.message === "Compact task completed") return reaction("codex.compacted.notice");
      state.last = "m";
      return speechEvent(ctx, "said");
    case "agent_reasoning":
    case "agent_reasoning_raw_content":
      return speechEvent(ctx, "thought");
    case "token_count":
      return tokenCount(ctx);
    case "task_started":
    case "turn_started":
      return turnStarted(ctx);
    case "task_complete":
    case "turn_complete":
      return turnCompleted(ctx);
    case "turn_aborted":
      return turnAborted(ctx);
    case "thread_rolled_back":
      return rolledBack(ctx);
    case "item_completed":
      return itemCompleted(ctx);
    case "exec_command_end":
      return commandEnded(ctx, payload, callIdOf(ctx, payload));
    case "patch_apply_end":
      return patchEnded(ctx, payload, callIdOf(ctx, payload));
    case "mcp_tool_call_end":
      return toolEnded(ctx, payload, callIdOf(ctx, payload), fieldsOf(payload.invocation));
    case "dynamic_tool_call_response":
      return toolEnded(ctx, payload, callIdOf(ctx, payload), payload);
    case "web_search_end":
      return selfSettled(ctx, payload, "web_search", "web_search_call");
    case "image_generation_end":
      return selfSettled(ctx, payload, "image_generation", "image_generation_call");
    case "entered_review_mode":
      return enteredReview(ctx, payload);
    case "exited_review_mode":
      return exitedReview(ctx, payload);
    case "context_compacted":
      return compactionMarker(ctx);
    case "sub_agent_activity":
      return reaction("codex.sub_agent", ...linksInActivity(state, payload));
    case "thread_settings_applied":
      return setup("codex.settings", settingsBody(fieldsOf(payload.thread_settings), null, state));
    case "thread_goal_updated":
      return goalUpdated(ctx);
    case "thread_name_updated":
      return renamed(ctx);
    case "error":
      return failed(ctx, true);
    case "stream_error":
      return failed(ctx, false);
    case "shutdown_complete":
      return verdict("session", "codex.shutdown");
    default:
      if (record.kind.startsWith("collab_"))
        return reaction("codex.collab", ...linksInCollab(state, payload, record.kind));
      return noticeVerdict(record);
  }
}

/** Events for clients that carry no information needed here. */
const NOTICES: Readonly<Record<string, Reason>> = {
  agent_reasoning_section_break: "codex.event.agent_reasoning_section_break",
  background_event: "codex.event.background_event",
  deprecation_notice: "codex.event.deprecation_notice",
  dynamic_tool_call_request: "codex.event.dynamic_tool_call_request",
  exec_command_begin: "codex.event.exec_command_begin",
  guardian_assessment: "codex.event.guardian_assessment",
  guardian_warning: "codex.event.guardian_warning",
  hook_completed: "codex.event.hook_completed",
  hook_started: "codex.event.hook_started",
  image_generation_begin: "codex.event.image_generation_begin",
  item_started: "codex.event.item_started",
  mcp_tool_call_begin: "codex.event.mcp_tool_call_begin",
  model_reroute: "codex.event.model_reroute",
  patch_apply_begin: "codex.event.patch_apply_begin",
  plan_update: "codex.event.plan_update",
  request_user_input: "codex.event.request_user_input",
  turn_diff: "codex.event.turn_diff",
  undo_completed: "codex.event.undo_completed",
  undo_started: "codex.event.undo_started",
  view_image_tool_call: "codex.event.view_image_tool_call",
  warning: "codex.event.warning",
  web_search_begin: "codex.event.web_search_begin",
};

function noticeVerdict(record: NativeRecord): Verdict {
  const reason = Object.hasOwn(NOTICES, record.kind) ? NOTICES[record.kind] : undefined;
  return reason === undefined ? unknownType(nativePath(record)) : reaction(reason);
}

const USAGE_REASONS: Readonly<Record<OwnUsage["verdict"] | "none", Reason>> = {
  counted: "codex.usage.counted",
  duplicate: "codex.usage.duplicate",
  estimate: "codex.usage.estimate",
  none: "codex.usage.none",
};

function tokenCount(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const { info, rate_limits: limits } = record.payload;
  const usage = usageOfCount(info, state);
  // A session imported from another agent gets one made-up token count next to its closing message.
  if (usage?.verdict === "counted" && !state.lifecycle && (state.imported || importEnds(ctx))) {
    usage.verdict = "estimate";
    markTotalsInherited(state);
  }
  if (usage?.verdict === "counted") noteAnswer(ctx);
  const total = ctx.detailed && usage?.verdict === "counted" ? totalOf(state) : null;
  const context = ctx.detailed ? rateLimitsBody(limits, record.time, state) : null;
  const size = ctx.detailed ? contextWindow(fieldsOf(info).model_context_window, state) : [];
  const records = [...[usage, total, context].filter((body) => body !== null), ...size];
  const name = USAGE_REASONS[usage?.verdict ?? "none"];
  const { early, tentative } = countsForCompaction(ctx);
  return verdict(early ? "early" : "reaction", name, records, tentative);
}

function importEnds(ctx: ClassifyContext): boolean {
  const [first, second] = [ctx.ahead(0), ctx.ahead(1)];
  return (first !== null && endsImport(first)) || (second !== null && endsImport(second));
}

function renamed({ record }: ClassifyContext): Verdict {
  const name = stringOf(record.payload.thread_name);
  const title = name === null || name.trim() === "" ? null : name;
  return verdict("session", "codex.renamed", [{ type: "session_renamed", title, by: "human" }]);
}

/** `item_completed`: used by paginated files instead of a separate event type per kind of item. */
function itemCompleted(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const { item } = record;
  const thread = stringOf(record.payload.thread_id);
  if (state.review && thread !== null && thread !== state.sessionId && record.itemType !== "UserMessage") {
    // These records belong to the reviewer's own file; here they are only forwarded.
    return reaction("codex.review.forwarded", ...link(state, { child: thread, phase: "spawned", relation: "review" }));
  }
  switch (record.itemType) {
    case "UserMessage":
      return userEcho(ctx);
    case "HookPrompt":
      return reaction("codex.item.hook_prompt");
    case "AgentMessage":
      return speechEvent(ctx, "said");
    case "Reasoning":
      return speechEvent(ctx, "thought");
    case "Plan":
      return planShown(ctx);
    case "CommandExecution":
      return commandEnded(ctx, item, callIdOf(ctx, item));
    case "FileChange":
      return patchEnded(ctx, item, callIdOf(ctx, item));
    case "McpToolCall":
    case "DynamicToolCall":
      return toolEnded(ctx, item, callIdOf(ctx, item), item);
    case "CollabAgentToolCall":
      return reaction("codex.item.collab", ...linksInCollab(state, item, stringOf(item.tool) ?? ""));
    case "SubAgentActivity":
      return reaction("codex.item.sub_agent", ...linksInActivity(state, item));
    case "EnteredReviewMode":
      return enteredReview(ctx, item);
    case "ExitedReviewMode":
      return exitedReview(ctx, item);
    case "ContextCompaction":
      return compactionMarker(ctx);
    case "WebSearch":
      return selfSettled(ctx, item, "web_search", "web_search_call");
    case "ImageGeneration":
      return selfSettled(ctx, item, "image_generation", "image_generation_call");
    case "Extension":
      return selfSettled(ctx, item, stringOf(item.kind) ?? "extension", "web_search_call");
    case "ImageView":
      return reaction("codex.item.image_view");
    default:
      return unknownType(nativePath(record));
  }
}

function callIdOf({ record }: ClassifyContext, item: Fields): string {
  return wordOf(item.call_id) ?? wordOf(item.id) ?? `line-${record.line}`;
}

/** `CommandExecution` items and `exec_command_end` events. */
function commandEnded(ctx: ClassifyContext, item: Fields, id: string): Verdict {
  if (item.source === "user_shell") return shellFromCommand(ctx, item, id);
  noteOutput(ctx);
  const call: Call = {
    id,
    name: "exec_command",
    input: { command: commandText(item) },
    turn: nativeTurnId(ctx.record),
  };
  const output = stringOf(item.aggregated_output) ?? stringOf(item.formatted_output) ?? stringOf(item.stdout);
  return reaction("codex.item.command", ...finishByItem(ctx, call, fromCommand(item), { output, step: true }));
}

/** `FileChange` items and `patch_apply_end` events. */
function patchEnded(ctx: ClassifyContext, item: Fields, id: string): Verdict {
  noteOutput(ctx);
  const call: Call = { id, name: "apply_patch", input: null, turn: nativeTurnId(ctx.record) };
  const output = stringOf(item.stdout);
  const files = filesOfChanges(item.changes);
  return reaction("codex.item.patch", ...finishByItem(ctx, call, fromPatch(item), { files, output }));
}

/** Calls of MCP and client-side tools; `invocation` names the tool. */
function toolEnded(ctx: ClassifyContext, item: Fields, id: string, invocation: Fields): Verdict {
  noteOutput(ctx);
  const server = wordOf(invocation.server) ?? wordOf(invocation.namespace);
  const tool = wordOf(invocation.tool) ?? "tool";
  const call: Call = {
    id,
    name: server === null ? tool : `${server}.${tool}`,
    input: invocation.arguments ?? null,
    turn: nativeTurnId(ctx.record),
  };
  return reaction("codex.item.tool", ...finishByItem(ctx, call, fromToolCall(item), { step: true }));
}

/**
 * Searches and generated images have no separate output record. The response item reports them; the event counts only
 * if there is no such item near it.
 */
function selfSettled(ctx: ClassifyContext, item: Fields, name: string, responseKind: string): Verdict {
  const { state } = ctx;
  const id = callIdOf(ctx, item);
  const near = [ctx.ahead(0), ctx.ahead(1), ctx.ahead(2)].some((next) => next?.kind === responseKind);
  const known = Object.hasOwn(state.calls, id) || Object.values(state.calls).some((call) => call.name === name);
  noteOutput(ctx);
  if (near || known) return reaction("codex.item.echo");
  const call: Call = { id, name, input: item.action ?? item.query ?? null, turn: nativeTurnId(ctx.record) };
  const status = stringOf(item.status);
  return reaction(
    "codex.item.self_settled",
    ...finishByItem(ctx, call, settlementOf(status === "failed" ? "failed" : "ok")),
  );
}

/**
 * Most files hold the model's messages and reasoning twice: as a response item and as an event for the client, in
 * either order and, in old versions, some lines apart. Each is reported once, from the response item if there is one.
 */
type Speech = "said" | "thought";

const EVENT_REASONS = {
  said: {
    empty: "codex.agent_message.empty",
    echo: "codex.agent_message.echo",
    only: "codex.agent_message.only_event",
  },
  thought: { empty: "codex.reasoning.empty", echo: "codex.reasoning.echo", only: "codex.reasoning.only_event" },
} as const;

const ITEM_REASONS = {
  said: { empty: "codex.assistant.empty", byEvent: "codex.assistant.told_by_event", byItem: "codex.assistant" },
  thought: { empty: "codex.reasoning.empty", byEvent: "codex.reasoning.told_by_event", byItem: "codex.reasoning" },
} as const;

/** More lines than were ever observed between an event and its response item. */
const SPEECH_REACH = 12;

function speechMark(speech: Speech, text: string): string {
  return speech.charAt(0) + quickHash(text);
}

/** The texts of a response item, one of which an event repeats (each summary part has its own event). */
function partsOf(record: NativeRecord, speech: Speech): string[] | null {
  if (record.type !== "response_item") return null;
  const { payload } = record;
  if (speech === "said") {
    if (record.kind !== "message" || payload.role !== "assistant") return null;
    return [assistantText(record)];
  }
  return record.kind === "reasoning" ? [reasoningText(record), ...reasoningParts(record)] : null;
}

/** The message that Codex writes at the end of a session imported from another agent. */
const IMPORTED = "<EXTERNAL SESSION IMPORTED>";

function endsImport(record: NativeRecord): boolean {
  if (record.kind === "agent_message" || record.itemType === "AgentMessage") return copiedText(record) === IMPORTED;
  return record.payload.role === "assistant" && assistantText(record) === IMPORTED;
}

function reasoningParts({ payload }: NativeRecord): string[] {
  return [...listOf(payload.summary), ...listOf(payload.content)].flatMap((part) => wordOf(fieldsOf(part).text) ?? []);
}

function reasoningText(record: NativeRecord): string {
  return reasoningParts(record).join("\n\n");
}

/** The text of the client's copy: `agent_message`, `agent_reasoning`, or an item of these kinds. */
function copiedText(record: NativeRecord): string {
  if (record.itemType === "AgentMessage") return plainText(record.item.content);
  if (record.itemType === "Reasoning") {
    return [...listOf(record.item.summary_text), ...listOf(record.item.raw_content)]
      .flatMap((part) => wordOf(part) ?? wordOf(fieldsOf(part).text) ?? [])
      .join("\n\n");
  }
  return stringOf(record.payload.message) ?? stringOf(record.payload.text) ?? "";
}

/** Classifies the client's copy: an echo if a response item holds the text, else the only record of it. */
function speechEvent(ctx: ClassifyContext, speech: Speech): Verdict {
  const { state, record } = ctx;
  const text = copiedText(record);
  state.imported = text === IMPORTED;
  const rules = EVENT_REASONS[speech];
  if (text === "") return reaction(rules.empty);
  const key = speechMark(speech, text);
  if (removeOne(state.spoken, key)) return reaction(rules.echo);
  const found = itemAhead(ctx, speech, text);
  if (found === "yes") {
    pushRecent(state.echoed, key);
    return reaction(rules.echo);
  }
  pushRecent(state.echoed, `!${key}`);
  if (speech === "said" && state.turn) state.turn.text = true;
  return verdict("reaction", rules.only, [speechBody(ctx, speech, text, null)], found === "unknown");
}

function itemAhead(ctx: ClassifyContext, speech: Speech, text: string): "yes" | "no" | "unknown" {
  for (let k = 0; k < SPEECH_REACH; k++) {
    const next = ctx.ahead(k);
    if (next === null) return "unknown";
    if (partsOf(next, speech)?.includes(text) === true) return "yes";
    // All messages of a turn are written before the next prompt.
    if (next.kind === "task_started" || next.kind === "user_message" || next.itemType === "UserMessage") return "no";
  }
  return "no";
}

/** Classifies the response item: it reports the text, unless its event already did. */
function speechItem(ctx: ClassifyContext, speech: Speech): Verdict {
  const { state, record } = ctx;
  const text = speech === "said" ? assistantText(record) : reasoningText(record);
  const rules = ITEM_REASONS[speech];
  state.imported = text === IMPORTED;
  if (text === "") return reaction(rules.empty);
  let byEvent = false;
  let heralded = false;
  const parts = speech === "said" ? [text] : [text, ...reasoningParts(record)];
  for (const part of new Set(parts)) {
    const key = speechMark(speech, part);
    byEvent = removeOne(state.echoed, `!${key}`) || byEvent;
    heralded = removeOne(state.echoed, key) || heralded;
  }
  if (speech === "said" && state.turn) state.turn.text = true;
  if (byEvent) return reaction(rules.byEvent);
  if (!heralded) for (const part of new Set(parts)) pushRecent(state.spoken, speechMark(speech, part));
  return reaction(rules.byItem, speechBody(ctx, speech, text, wordOf(record.payload.id)));
}

type SpeechBody = Extract<Verdict["records"][number], { type: "assistant_finished" | "reasoning_finished" }>;

function speechBody({ state, full }: ClassifyContext, speech: Speech, text: string, id: string | null): SpeechBody {
  if (speech === "thought") return { type: "reasoning_finished", text: full ? text : "" };
  return { type: "assistant_finished", message_id: id, model: state.model, text: full ? text : "" };
}
