import { reasonsOf } from "../../src/agents/kit/chat.ts";
import { CLASSES } from "../../src/agents/openhands/rules.ts";
import { DEEP, type Listed, type SmallFile } from "./listed.ts";

const STATE = { id: "00000000-0000-4000-8000-000000000001", agent: { kind: "Agent" }, workspace: {} };

function event(at: number, fields: object | string): SmallFile {
  const text =
    typeof fields === "string" ? fields : JSON.stringify({ id: `e${at}`, timestamp: "2026-11-18T07:00:00", ...fields });
  return { name: `conversations/one/events/event-${String(at).padStart(5, "0")}-x.json`, lines: [text], ended: false };
}

function message(source: string, role: string, text: string): object {
  return { kind: "MessageEvent", source, llm_message: { role, content: [{ type: "text", text }] } };
}

/** Events that no fixture contains, as the agent's source defines them. */
const EVENTS: readonly (object | string)[] = [
  message("user", "user", "go"),
  message("environment", "user", "a hook says no"),
  { ...message("user", "user", "by another agent"), sender: "planner" },
  { kind: "UserRejectObservation", source: "environment", tool_call_id: "c", tool_name: "terminal" },
  { kind: "PauseEvent", source: "user" },
  { kind: "CondensationRequest", source: "environment" },
  { kind: "Condensation", source: "environment", summary: "all of it", llm_response_id: "r" },
  { kind: "HookExecutionEvent", source: "environment" },
  { kind: "TokenEvent", source: "agent" },
  { kind: "HologramEvent", source: "agent" },
  { ...message("user", "user", "go"), id: "e0" },
  "",
  "{not json",
  "[1]",
  DEEP,
];

export const OPENHANDS: Listed = {
  reasons: reasonsOf("openhands", CLASSES),
  folder: "src/agents/openhands",
  prefix: "openhands",
  fixtures: /^openhands-/,
  files: [
    { name: "conversations/one/base_state.json", lines: [JSON.stringify(STATE)], ended: false },
    ...EVENTS.map((fields, at) => event(at, fields)),
  ],
  unreached: {
    "openhands.line.nul_bytes": "a file of NUL bytes is not JSON",
    "openhands.line.too_large": "events are read whole",
    "openhands.line.torn": "events are read whole",
  },
};
