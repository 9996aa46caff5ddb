import type { TriggerKind } from "../../record/record.ts";
import { dataOf } from "./identity.ts";
import { str, type Native } from "../kit/native.ts";
import type { Reason } from "./reasons.ts";

/** A slash command, not a path: `/usr/bin/env …` has a second slash in its first word. */
const COMMAND = /^\/[A-Za-z][\w:.-]*(?=\s|$)/;
const NOTIFICATION = /^\s*<system_notification>/;
const SKILL = /^\s*<skill-context/;
const CROSS = "<cross_session_message>";

/** Origins the event itself names; any other value also means the client. */
const BY_SOURCE: ReadonlyMap<string, Reason> = new Map([
  ["skill", "copilot.user.skill"],
  ["autopilot", "copilot.user.autopilot"],
]);

export interface UserMessage {
  author: "human" | "source" | "agent";
  /** The rule that decided. */
  reason: Reason;
  text: string;
  kind: TriggerKind;
}

/** Who wrote a `user.message`: the event names its origin, or none if a human typed it. */
export function readUser(record: Native): UserMessage {
  const data = dataOf(record);
  const text = str(data["content"]) ?? "";
  const source = str(data["source"]) ?? "";
  const base: UserMessage = { author: "source", reason: "copilot.user.injected", text, kind: "prompt" };
  if (str(record["agentId"]) !== null || source.startsWith("agent-"))
    return { ...base, author: "agent", reason: "copilot.user.agent_task" };
  if (data["isAutopilotContinuation"] === true) return { ...base, reason: "copilot.user.autopilot" };
  if (source !== "" && source !== "user")
    return { ...base, reason: BY_SOURCE.get(source.replace(/[-:].*$/s, "")) ?? "copilot.user.injected" };
  if (NOTIFICATION.test(text)) return { ...base, reason: "copilot.user.notification" };
  if (SKILL.test(text)) return { ...base, reason: "copilot.user.skill" };
  // Another session's message is wrapped on its way to the model; if a human quotes the tag, the typed text contains it
  // too.
  const sent = str(data["transformedContent"]) ?? "";
  if (sent.includes(CROSS) && !text.includes(CROSS))
    return { ...base, author: "agent", reason: "copilot.user.cross_session" };
  const delivery = str(data["delivery"]);
  const queued = delivery === "steering" || delivery === "queued";
  const kind: TriggerKind = queued ? "queued" : COMMAND.test(text) ? "command" : "prompt";
  return {
    author: "human",
    reason: queued ? (delivery === "steering" ? "copilot.user.steering" : "copilot.user.queued") : "copilot.user.typed",
    text,
    kind,
  };
}
