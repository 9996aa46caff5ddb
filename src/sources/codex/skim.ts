import type { Skimmer } from "../../io/lines.ts";
import type { NativeRecord } from "./native.ts";
import type { ReaderState } from "./state.ts";

/** Relies on Codex's key order; a line with another order is parsed. */
const ENVELOPE = /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"([a-z_]+)","payload":\{"type":"([a-z_]+)"/;
const WORLD = /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"world_state"/;
const ROLE = /"role":"(assistant|developer)"/;
const ITEM = /"item":\{"type":"(Reasoning|AgentMessage|FileChange|CommandExecution)"/;
/** A command typed by the human is a trigger, so only commands that state another source may be skipped. */
const AGENTS_COMMAND = /"source":"(?:agent|unified_exec_startup|unified_exec_interaction)"/;
/** Calls that cannot start another session; all others are parsed. */
const PLAIN_CALL =
  /"name":"(?:shell|shell_command|exec_command|write_stdin|apply_patch|update_plan|view_image|exec|local_shell|container\.exec)"/;
/** Goals are requests; scripts may make one. */
const GOAL = /\b(?:create_goal|goal_objective)\b/;
/** Short texts may be the fixed messages that end a compaction or an import, short outputs may name a child session. */
const SHORT = 600;

/**
 * Names lines that are neither requests nor state usage, and that no rule about prompts examines: work, messages and
 * setup. They are most of a session's bytes. User messages, task events, compactions and all rare types are always
 * parsed.
 */
function nameForUsage(head: string, bytes: number): string | null {
  const match = ENVELOPE.exec(head);
  if (match === null) return WORLD.test(head) ? "world_state" : null;
  const kind = match[2] ?? "";
  if (match[1] === "event_msg") return nameOfEvent(kind, head, bytes);
  if (match[1] !== "response_item") return null;
  switch (kind) {
    case "function_call_output":
    case "custom_tool_call_output":
      return bytes < SHORT || GOAL.test(head) ? null : `response_item/${kind}`;
    case "additional_tools":
    case "reasoning":
      return `response_item/${kind}`;
    case "function_call":
    case "custom_tool_call":
      return PLAIN_CALL.test(head) && !GOAL.test(head) ? `response_item/${kind}` : null;
    case "message": {
      const role = ROLE.exec(head)?.[1];
      if (role === undefined || (role === "assistant" && bytes < SHORT)) return null;
      return `response_item/message/${role}`;
    }
    default:
      return null;
  }
}

const STATES_TOKENS: ReadonlySet<string> = new Set([
  "token_count",
  "task_started",
  "turn_started",
  "thread_settings_applied",
]);

/** For token sums: names everything except usage, settings, and short messages that may end an import. */
function nameForTokens(head: string, bytes: number): string | null {
  const match = ENVELOPE.exec(head);
  if (match === null) return WORLD.test(head) ? "world_state" : null;
  const [, type, kind = ""] = match;
  if (type === "event_msg") {
    return STATES_TOKENS.has(kind) || (kind === "agent_message" && bytes < SHORT) ? null : kind;
  }
  if (type !== "response_item") return null;
  return kind === "message" && bytes < SHORT ? null : kind;
}

export const skimForUsage: Skimmer = { head: 1024, name: nameForUsage };
export const skimForTokens: Skimmer = { head: 160, name: nameForTokens, drop: true };

function nameOfEvent(kind: string, head: string, bytes: number): string | null {
  if (kind === "agent_message") return bytes < SHORT ? null : "event_msg/agent_message";
  if (kind === "agent_reasoning" || kind === "exec_command_end" || kind === "patch_apply_end")
    return `event_msg/${kind}`;
  if (kind !== "item_completed") return null;
  const item = ITEM.exec(head)?.[1];
  if (item === undefined || (item === "CommandExecution" && !AGENTS_COMMAND.test(head))) return null;
  return `event_msg/item_completed/${item}`;
}

/** The record of a skipped line for look-ahead: its types without any content. */
export function skippedRecord(native: string, line: number): NativeRecord {
  const [type = "", kind = "", rest = ""] = native.split("/");
  return {
    line,
    type,
    kind,
    payload: type === "response_item" && kind === "message" ? { role: rest } : {},
    item: {},
    itemType: kind === "item_completed" ? rest : "",
    metadata: {},
    time: null,
    ordinal: null,
    terminated: true,
    bare: false,
  };
}

/** Applies the few effects that a skipped line has on the state. */
export function applySkipped(native: string, state: ReaderState): void {
  if (native === "response_item/message/assistant") state.last = "m";
  else if (/^response_item\/(?:reasoning|\w+_call)$/.test(native)) state.last = "w";
}
