import type { Fields } from "./fields.ts";
import { fieldsOf, isFields, numberOf, stringOf, timeOf, wordOf } from "./fields.ts";

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
