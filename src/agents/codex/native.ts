/**
 * The lines of a rollout: their fields and types, the content of messages, texts that Codex writes itself, and the
 * known fields of each type.
 */
import { basename } from "node:path";
import { instant } from "../../base/io/instant.ts";
import { parseJson } from "../../base/io/json.ts";
import type { DriftCounter } from "../kit/drift.ts";

/** Untrusted JSON: every field of a session file may be absent or have another type. */
export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NONE;
}

export function stringOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A non-empty string. */
export function wordOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** A string that is not blank, as required for names and paths. */
export function nameOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Parses JSON inside a string, as in tool arguments and outputs; null if it is not an object. */
export function parseFields(text: string): Fields | null {
  const start = text.trimStart();
  if (!start.startsWith("{")) return null;
  try {
    const value: unknown = parseJson(start);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

const ZONED = /(?:Z|[+-]\d\d:?\d\d)$/i;

/** Epoch ms of an RFC 3339 time. A time without a zone is meaningless on another machine and therefore ignored. */
export function timeOf(value: unknown): number | null {
  if (typeof value !== "string" || !ZONED.test(value)) return null;
  return instant(Date.parse(value));
}

/** `{secs, nanos}` as Rust writes durations, or plain milliseconds. */
export function durationOf(value: unknown): number | null {
  const plain = numberOf(value);
  if (plain !== null) return Math.round(plain);
  if (!isFields(value)) return null;
  const secs = numberOf(value.secs);
  const nanos = numberOf(value.nanos) ?? 0;
  return secs === null ? null : Math.round(secs * 1000 + nanos / 1e6);
}

/** One line of a rollout, converted to the shape of the enveloped format. */
export interface NativeRecord {
  line: number;
  /** Top-level type; bare items of old files count as `response_item`. */
  type: string;
  /** `payload.type`, "" when it has none. */
  kind: string;
  payload: Fields;
  /** `payload.item` of `item_completed`, else empty. */
  item: Fields;
  itemType: string;
  /** Line metadata of response items (0.166 and later). */
  metadata: Fields;
  time: number | null;
  ordinal: number | null;
  terminated: boolean;
  /** The line has no envelope. */
  bare: boolean;
}

const BARE_ITEMS: ReadonlySet<string> = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "local_shell_call",
  "local_shell_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "web_search_call",
  "ghost_snapshot",
  "compaction",
]);

/** Converts a parsed line to the common shape: enveloped record, bare item, state marker or header object. */
export function nativeRecord(value: Fields, line: number, terminated: boolean): NativeRecord {
  const type = stringOf(value.type) ?? "";
  const enveloped = isFields(value.payload) || (type !== "" && !BARE_ITEMS.has(type));
  const record: NativeRecord = {
    line,
    type,
    kind: "",
    payload: fieldsOf(value.payload),
    item: {},
    itemType: "",
    metadata: fieldsOf(value.metadata),
    time: timeOf(value.timestamp),
    ordinal: numberOf(value.ordinal),
    terminated,
    bare: false,
  };
  if (!enveloped) {
    record.bare = true;
    record.payload = value;
    if (type !== "") record.type = "response_item";
    else if (typeof value.record_type === "string") record.type = `record_type/${value.record_type}`;
    else if (typeof value.id === "string" || isFields(value.git)) record.type = "session_meta";
    else if (typeof value.role === "string") record.type = "response_item";
  }
  record.kind = record.type === "session_meta" ? "" : (wordOf(record.payload.type) ?? "");
  // The oldest client wrote messages with a role and no type.
  if (record.bare && record.kind === "" && typeof value.role === "string") record.kind = "message";
  if (record.type === "session_meta" && record.time === null) record.time = timeOf(record.payload.timestamp);
  if (record.kind === "item_completed" || record.kind === "item_started") {
    record.item = fieldsOf(record.payload.item);
    record.itemType = stringOf(record.item.type) ?? "";
  }
  return record;
}

/** The native type path for display, for example `event_msg/item_completed/CommandExecution`. */
export function nativePath(record: NativeRecord): string {
  if (record.type === "") return "(untyped)";
  let path = record.type;
  if (record.kind !== "") path += `/${record.kind}`;
  if (record.itemType !== "") path += `/${record.itemType}`;
  if (record.type === "response_item" && record.kind === "message") {
    path += `/${stringOf(record.payload.role) ?? "?"}`;
  }
  return path;
}

/** The agent's own turn id, when the record names it. */
export function nativeTurnId(record: NativeRecord): string | null {
  const own = wordOf(record.payload.turn_id);
  if (own !== null) return own;
  const stated = wordOf(fieldsOf(record.payload.internal_chat_message_metadata_passthrough).turn_id);
  // Codex numbers what it does between tasks like this; it names no turn.
  return stated?.startsWith("auto-compact-") === true ? null : stated;
}

export function isTurnEnd(record: NativeRecord): boolean {
  return record.kind === "task_complete" || record.kind === "turn_complete" || record.kind === "turn_aborted";
}

/**
 * User-role messages that Codex writes itself. A marker must match at the start AND the end (trimmed, ignoring case),
 * like Codex's own matcher, because people do write prompts that begin like one. Markers without an end never varied in
 * real files.
 */
export type FragmentKind =
  | "instructions"
  | "environment"
  | "skill"
  | "plugins"
  | "steering"
  | "external"
  | "shell"
  | "aborted"
  | "notification"
  | "review_exit"
  | "hook"
  | "warning"
  | "summary";

interface Marker {
  kind: FragmentKind;
  start: string;
  end: string;
}

const MARKERS: readonly Marker[] = [
  { kind: "instructions", start: "# agents.md instructions", end: "</instructions>" },
  { kind: "instructions", start: "<instructions>", end: "</instructions>" },
  { kind: "instructions", start: "<user_instructions>", end: "</user_instructions>" },
  { kind: "environment", start: "<environment_context>", end: "</environment_context>" },
  { kind: "environment", start: "<cwd>", end: "</cwd>" },
  { kind: "skill", start: "<skill>", end: "</skill>" },
  { kind: "plugins", start: "<recommended_plugins>", end: "</recommended_plugins>" },
  { kind: "shell", start: "<user_shell_command>", end: "</user_shell_command>" },
  { kind: "aborted", start: "<turn_aborted>", end: "</turn_aborted>" },
  { kind: "notification", start: "<subagent_notification>", end: "</subagent_notification>" },
  { kind: "steering", start: "<goal_context>", end: "</goal_context>" },
  { kind: "steering", start: "<app-context>", end: "</app-context>" },
  { kind: "review_exit", start: "<user_action>", end: "</user_action>" },
  { kind: "steering", start: "<node_repl_review_evidence>", end: "</node_repl_review_evidence>" },
  {
    kind: "warning",
    start: "warning: apply_patch was requested via ",
    end: "use the apply_patch tool instead of exec_command.",
  },
  {
    kind: "warning",
    start: "warning: the maximum number of unified exec processes you can keep open is",
    end: "",
  },
  {
    kind: "warning",
    start: "warning: your account was flagged for potentially high-risk cyber activity",
    end: "",
  },
  {
    kind: "summary",
    start: "another language model started to solve this problem and produced a summary",
    end: "",
  },
  {
    kind: "summary",
    start: "you were originally given instructions from a user over one or more turns.",
    end: "",
  },
  { kind: "summary", start: "you are performing a context checkpoint compaction", end: "" },
  {
    kind: "summary",
    start: "you have exceeded the maximum number of tokens, please stop coding",
    end: "",
  },
];

const INTERNAL = /^<codex_internal_context source="[a-z][a-z0-9_]*">[\s\S]*<\/codex_internal_context>$/i;
const EXTERNAL = /^<external_([\w-]+)>[\s\S]*<\/external_\1>$/i;
const HOOK = /^<hook_prompt\s[^>]*\bhook_run_id="[^"]+"[^>]*>[\s\S]*<\/hook_prompt>$/i;
const LONGEST_MARKER = 96;

/** The kind of a text that Codex generated as a whole; null for anything a human may have typed. */
export function fragmentOf(text: string): FragmentKind | null {
  const trimmed = text.trim();
  const head = trimmed.slice(0, LONGEST_MARKER).toLowerCase();
  const first = head.charCodeAt(0);
  // Every marker begins with `<`, `#` or a fixed sentence, so the first letter rules out most prompts.
  if (first !== 0x3c && first !== 0x23 && !/^[wya]/.test(head)) return null;
  const tail = trimmed.slice(-LONGEST_MARKER).toLowerCase();
  for (const { kind, start, end } of MARKERS) if (head.startsWith(start) && tail.endsWith(end)) return kind;
  if (first !== 0x3c) return null;
  if (INTERNAL.test(trimmed)) return "steering";
  if (EXTERNAL.test(trimmed)) return "external";
  return HOOK.test(trimmed) ? "hook" : null;
}

const ENVELOPE =
  /^\s*<(environment_context|user_instructions|instructions|recommended_plugins|skill|turn_aborted)>[\s\S]*?<\/\1>\s*/i;
const AGENTS_ENVELOPE = /^\s*# AGENTS\.md instructions(?: for [^\n]*)?\s*<INSTRUCTIONS>[\s\S]*?<\/INSTRUCTIONS>\s*/i;

/** Old clients put their envelopes before the prompt in the same text: returns the prompt without them. */
export function withoutEnvelopes(text: string): string {
  let rest = text;
  for (;;) {
    const match = ENVELOPE.exec(rest) ?? AGENTS_ENVELOPE.exec(rest);
    if (!match) return rest;
    rest = rest.slice(match[0].length);
  }
}

/** The content of a user-role message: its texts, and the number of images, documents or sounds. */
export interface Content {
  texts: readonly string[];
  /** Index of each text in the native content list, to look up its provenance. */
  places: readonly number[];
  media: number;
}

// Codex adds labels around media as separate text items; no human typed them.
const MEDIA_LABEL = /^\s*<\/?(?:image|audio)(?:\s[^>]*)?>\s*$/i;

export function contentOf(content: unknown): Content {
  if (typeof content === "string") return { texts: [content], places: [0], media: 0 };
  const texts: string[] = [];
  const places: number[] = [];
  let media = 0;
  const items = listOf(content);
  const hasMedia = items.some((item) => isMedia(fieldsOf(item)));
  for (const [place, item] of items.entries()) {
    if (typeof item === "string") {
      texts.push(item);
      places.push(place);
      continue;
    }
    const fields = fieldsOf(item);
    if (isMedia(fields)) {
      media++;
      continue;
    }
    const text = stringOf(fields.text);
    if (text === null || (hasMedia && MEDIA_LABEL.test(text))) continue;
    texts.push(text);
    places.push(place);
  }
  return { texts, places, media };
}

function isMedia(item: Fields): boolean {
  const type = stringOf(item.type) ?? "";
  return /image|audio|file|document/.test(type) && type !== "input_text";
}

/** Text of an output or message: a string, a list of parts, or the old `{content, success}`. */
export function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  if (isFields(value)) return plainText(value.content ?? value.output ?? value.text);
  let text = "";
  for (const part of listOf(value)) {
    if (typeof part === "string") text += part;
    else text += stringOf(fieldsOf(part).text) ?? "";
  }
  return text;
}

export function assistantText(record: NativeRecord): string {
  return contentOf(record.payload.content).texts.join("");
}

/** A prompt as Codex repeats it to its clients. */
export interface Echo {
  text: string;
  media: number;
  /** A `user_message` event, as opposed to an item. */
  isEvent: boolean;
  /**
   * Marked as generated: old versions also echoed their own texts. They decided that by the beginning of the text
   * alone.
   */
  generated: boolean;
  threadId: string | null;
  /** A client sent it and gave it an id. Agents that write to other agents give none. */
  fromClient: boolean;
}

/** The echo in a record, or null. Legacy files write `user_message`, paginated ones an `item_completed` UserMessage. */
export function echoOf(record: NativeRecord | null): Echo | null {
  if (record === null || record.type !== "event_msg") return null;
  const { payload } = record;
  if (record.kind === "user_message") {
    const kind = stringOf(payload.kind);
    return {
      text: stringOf(payload.message) ?? "",
      media:
        listOf(payload.images).length +
        listOf(payload.local_images).length +
        listOf(payload.audio).length +
        listOf(payload.local_audio).length,
      isEvent: true,
      generated: kind !== null && kind !== "plain",
      threadId: null,
      fromClient: wordOf(payload.client_id) !== null,
    };
  }
  if (record.kind !== "item_completed" || record.itemType !== "UserMessage") return null;
  const content = contentOf(record.item.content);
  return {
    text: content.texts.join(""),
    media: content.media,
    isEvent: false,
    generated: false,
    threadId: stringOf(payload.thread_id),
    fromClient: wordOf(record.item.client_id) !== null,
  };
}

/**
 * Whether the echo on the next line repeats this message. The caller checks adjacency; here the complete text must be
 * equal. Clients joined several text items with or without newlines. Media must be in both or in neither, because two
 * different prompts may have the same text; only an event may name images that the message lacks.
 */
export function matchesEcho(message: Content, echo: Echo): boolean {
  const text = echo.text.trim();
  const added = echo.isEvent && message.media === 0 && text !== "";
  if (message.media > 0 !== echo.media > 0 && !added) return false;
  const reads = (texts: readonly string[]): boolean =>
    texts.join("\n").trim() === text || (texts.length > 1 && texts.join("").trim() === text);
  if (reads(message.texts)) return true;
  // The message may also contain generated context; Codex echoes only what was typed.
  const plain = message.texts.filter((part) => fragmentOf(part) === null);
  return plain.length > 0 && plain.length < message.texts.length && reads(plain);
}

/**
 * The known fields of each native type. A field that is not listed does no harm, but it is counted and shown, so that a
 * change of the format is noticed before it makes the reader report something wrong.
 */
const ITEM_FIELDS = "id internal_chat_message_metadata_passthrough status";
const TURN_FIELDS = "turn_id root_turn_id started_at completed_at duration_ms";
const EXEC_FIELDS =
  "call_id process_id turn_id command cwd parsed_cmd source interaction_input stdout stderr aggregated_output exit_code duration formatted_output status completed_at_ms started_at_ms";
const COLLAB_FIELDS =
  "call_id sender_thread_id receiver_thread_id receiver_thread_ids new_thread_id new_agent_nickname new_agent_role receiver_agent_nickname receiver_agent_role receiver_agents prompt model reasoning_effort status statuses agent_statuses completed_at_ms started_at_ms";

const KNOWN_FIELDS: Record<string, string> = {
  session_meta:
    "account_scoped id session_id forked_from_id forked_from_ordinal_exclusive parent_thread_id timestamp cwd originator cli_version source thread_source agent_nickname agent_role agent_type agent_path model_provider base_instructions instructions dynamic_tools selected_capability_roots memory_mode history_mode history_base subagent_history_start_ordinal multi_agent_version context_window git runtime_workspace_roots",
  turn_context:
    "turn_id root_turn_id cwd workspace_roots current_date timezone approval_policy approvals_reviewer sandbox_policy permission_profile active_permission_profile network file_system_sandbox_policy model comp_hash personality collaboration_mode multi_agent_version multi_agent_mode realtime_active effort summary truncation_policy user_instructions developer_instructions base_instructions final_output_json_schema output_schema disabled_plugin_ids trace_id",
  compacted:
    "message replacement_history replacement_history_metadata mcp_resource_origins window_number first_window_id previous_window_id window_id compaction_response_id guardian_history latest_token_usage_record resume_metadata retained_context",
  world_state: "full state",
  inter_agent_communication:
    "id author recipient other_recipients content encrypted_content trigger_turn internal_chat_message_metadata_passthrough",
  inter_agent_communication_metadata: "trigger_turn",
  token_usage_record:
    "thread_id turn_id session_id root_turn_id response_id usage turn_token_usage thread_token_usage model",
  retained_context: "call_id questions turn_id acceptance_order",
  security_risk_score: "score turn_id",
  "response_item/message": `${ITEM_FIELDS} role content phase end_turn`,
  "response_item/agent_message": `${ITEM_FIELDS} author recipient content`,
  "response_item/reasoning": `${ITEM_FIELDS} summary content encrypted_content`,
  "response_item/local_shell_call": `${ITEM_FIELDS} call_id action`,
  "response_item/function_call": `${ITEM_FIELDS} name namespace arguments encrypted_function_args call_id`,
  "response_item/function_call_output": `${ITEM_FIELDS} call_id name namespace output`,
  "response_item/custom_tool_call": `${ITEM_FIELDS} call_id name namespace input`,
  "response_item/custom_tool_call_output": `${ITEM_FIELDS} call_id name namespace output`,
  "response_item/local_shell_call_output": `${ITEM_FIELDS} call_id output`,
  "response_item/tool_search_call": `${ITEM_FIELDS} call_id execution arguments`,
  "response_item/tool_search_output": `${ITEM_FIELDS} call_id execution tools`,
  "response_item/web_search_call": `${ITEM_FIELDS} action`,
  "response_item/image_generation_call": `${ITEM_FIELDS} revised_prompt result`,
  "response_item/compaction": `${ITEM_FIELDS} encrypted_content`,
  "response_item/compaction_summary": `${ITEM_FIELDS} encrypted_content`,
  "response_item/context_compaction": `${ITEM_FIELDS} encrypted_content`,
  "response_item/compaction_trigger": ITEM_FIELDS,
  "response_item/ghost_snapshot": `${ITEM_FIELDS} ghost_commit`,
  "response_item/additional_tools": `${ITEM_FIELDS} role tools`,
  "event_msg/task_started": `${TURN_FIELDS} turn_attribution trace_id model_context_window collaboration_mode_kind`,
  "event_msg/turn_started": `${TURN_FIELDS} turn_attribution trace_id model_context_window collaboration_mode_kind`,
  "event_msg/task_complete": `${TURN_FIELDS} last_agent_message error time_to_first_token_ms`,
  "event_msg/turn_complete": `${TURN_FIELDS} last_agent_message error time_to_first_token_ms`,
  "event_msg/turn_aborted": `${TURN_FIELDS} reason`,
  "event_msg/token_count": "info rate_limits",
  "event_msg/thread_rolled_back": "num_turns",
  "event_msg/thread_goal_updated": "threadId turnId goal",
  "event_msg/thread_settings_applied": "thread_id thread_settings",
  "event_msg/thread_name_updated": "thread_id thread_name",
  "event_msg/item_completed": "thread_id turn_id item started_at_ms completed_at_ms",
  "event_msg/item_started": "thread_id turn_id item started_at_ms",
  "event_msg/user_message": "client_id message kind images image_details local_images audio local_audio text_elements",
  "event_msg/agent_message": "message phase memory_citation delivery",
  "event_msg/agent_reasoning": "text",
  "event_msg/agent_reasoning_raw_content": "text",
  "event_msg/agent_reasoning_section_break": "item_id summary_index",
  "event_msg/patch_apply_end": "call_id turn_id stdout stderr success changes status auto_approved",
  "event_msg/patch_apply_begin": "call_id turn_id auto_approved changes",
  "event_msg/mcp_tool_call_begin": "call_id invocation mcp_app_resource_uri",
  "event_msg/mcp_tool_call_end": "call_id invocation duration result mcp_app_resource_uri turn_id plugin_id",
  "event_msg/web_search_begin": "call_id",
  "event_msg/web_search_end": "call_id query action results",
  "event_msg/image_generation_begin": "call_id",
  "event_msg/image_generation_end": "call_id status revised_prompt result saved_path",
  "event_msg/entered_review_mode": "target prompt user_facing_hint turn_id item_id",
  "event_msg/exited_review_mode": "review_output turn_id item_id",
  "event_msg/context_compacted": "",
  "event_msg/sub_agent_activity": "event_id occurred_at_ms agent_thread_id agent_path kind model reasoning_effort",
  "event_msg/exec_command_begin": EXEC_FIELDS,
  "event_msg/exec_command_end": EXEC_FIELDS,
  "event_msg/view_image_tool_call": "call_id path",
  "event_msg/error": "message codex_error_info",
  "event_msg/stream_error": "message codex_error_info additional_details",
  "event_msg/warning": "message",
  "event_msg/background_event": "message",
  "event_msg/deprecation_notice": "summary details",
  "event_msg/guardian_assessment":
    "id turn_id target_item_id started_at_ms completed_at_ms status risk_level risk_score user_authorization rationale decision_source action",
  "event_msg/guardian_warning": "message",
  "event_msg/undo_started": "message",
  "event_msg/undo_completed": "success message",
  "event_msg/turn_diff": "unified_diff",
  "event_msg/plan_update": "explanation plan",
  "event_msg/shutdown_complete": "",
  "event_msg/model_reroute": "from_model to_model reason",
  "event_msg/hook_started": "turn_id run",
  "event_msg/hook_completed": "turn_id run",
  "event_msg/dynamic_tool_call_request": "callId turnId tool arguments namespace",
  "event_msg/dynamic_tool_call_response":
    "call_id turn_id tool arguments content_items success error duration namespace completed_at_ms",
  "event_msg/request_user_input": "call_id turn_id questions",
  "event_msg/collab_agent_spawn_begin": COLLAB_FIELDS,
  "event_msg/collab_agent_spawn_end": COLLAB_FIELDS,
  "event_msg/collab_agent_interaction_begin": COLLAB_FIELDS,
  "event_msg/collab_agent_interaction_end": COLLAB_FIELDS,
  "event_msg/collab_waiting_begin": COLLAB_FIELDS,
  "event_msg/collab_waiting_end": COLLAB_FIELDS,
  "event_msg/collab_close_begin": COLLAB_FIELDS,
  "event_msg/collab_close_end": COLLAB_FIELDS,
  "event_msg/collab_resume_begin": COLLAB_FIELDS,
  "event_msg/collab_resume_end": COLLAB_FIELDS,
  "item/UserMessage": "id client_id content",
  "item/HookPrompt": "id fragments",
  "item/AgentMessage": "id content phase memory_citation delivery",
  "item/Plan": "id text",
  "item/Reasoning": "id summary_text raw_content",
  "item/CommandExecution":
    "id process_id command cwd parsed_cmd source interaction_input status stdout stderr aggregated_output exit_code duration formatted_output",
  "item/DynamicToolCall": "id namespace tool arguments status content_items success error duration",
  "item/CollabAgentToolCall":
    "id tool status sender_thread_id receiver_thread_ids receiver_agents prompt model reasoning_effort agents_states",
  "item/SubAgentActivity": "id kind agent_thread_id agent_path model reasoning_effort",
  "item/WebSearch": "id query action results",
  "item/ImageView": "id path",
  "item/ImageGeneration": "id status revised_prompt result saved_path",
  "item/EnteredReviewMode": "id target user_facing_hint",
  "item/ExitedReviewMode": "id review_output",
  "item/FileChange": "id changes status stdout stderr auto_approved",
  "item/McpToolCall":
    "id server tool arguments status result error duration mcpAppResourceUri pluginId mcp_app_resource_uri plugin_id",
  "item/ContextCompaction": "id",
  "item/Extension": "id kind data status query action results duration_ms",
};

/** Additional fields of bare lines in the oldest files, which have no envelope. */
const BARE_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "timestamp",
  "type",
  "role",
  "duration_ms",
  "call_id",
  "record_type",
]);

/** Made for a type when it is first met: threads that only sum usage never need them. */
const fieldSets = new Map<string, ReadonlySet<string>>();

function knownFields(type: string): ReadonlySet<string> | null {
  const made = fieldSets.get(type);
  if (made !== undefined || !Object.hasOwn(KNOWN_FIELDS, type)) return made ?? null;
  const fields = new Set(`type ${KNOWN_FIELDS[type] ?? ""}`.split(" "));
  fieldSets.set(type, fields);
  return fields;
}

/** Names of fields that are not known for this type. */
function unknownFields(type: string, value: Readonly<Record<string, unknown>>, bare: boolean): string[] {
  const known = knownFields(type);
  if (!known) return [];
  const found: string[] = [];
  for (const name in value) if (!known.has(name) && !(bare && BARE_FIELDS.has(name))) found.push(name);
  return found;
}

export function noteDrift(
  counter: DriftCounter,
  record: NativeRecord,
  stated: string | null,
  isUnknown: boolean,
  checkFields: boolean,
): void {
  const version = stated ?? "unknown";
  counter.countVersion(version);
  if (isUnknown) counter.countUnknownType(version, nativePath(record));
  if (isUnknown || !checkFields) return;
  const type = record.type === "retained_context" || record.kind === "" ? record.type : `${record.type}/${record.kind}`;
  const fields = unknownFields(type, record.payload, record.bare);
  if (record.itemType !== "") fields.push(...unknownFields(`item/${record.itemType}`, record.item, false));
  for (const name of fields) counter.countUnknownField(version, nativePath(record), name);
}

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const THREAD_IN_NAME = new RegExp(`(${UUID})(?:_${UUID})?$`, "i");

/** The thread id in a rollout's file name (`rollout-<time>-<thread>[_<segment>]`), else the stem. */
export function sessionIdFromPath(path: string): string {
  const stem = basename(path).replace(/\.(?:jsonl(?:\.zst)?|json)$/, "");
  return THREAD_IN_NAME.exec(stem)?.[1] ?? stem;
}
