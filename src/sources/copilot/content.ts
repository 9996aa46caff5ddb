import type { TriggerKind } from "../../log/record.ts";
import { dataOf } from "./identity.ts";
import { str, type Native } from "../shared/native.ts";

/** A slash command, not a path: `/usr/bin/env …` has a second slash in its first word. */
const COMMAND = /^\/[A-Za-z][\w:.-]*(?=\s|$)/;
const NOTIFICATION = /^\s*<system_notification>/;
const SKILL = /^\s*<skill-context/;
const CROSS = "<cross_session_message>";

export interface UserMessage {
  author: "human" | "source" | "agent";
  /** The rule that decided, without the source's name. */
  rule: string;
  text: string;
  kind: TriggerKind;
}

/** Who wrote a `user.message`: the event names its origin, and names none where a human typed it. */
export function readUser(record: Native): UserMessage {
  const data = dataOf(record);
  const text = str(data["content"]) ?? "";
  const source = str(data["source"]) ?? "";
  const base: UserMessage = { author: "source", rule: "user.injected", text, kind: "prompt" };
  if (str(record["agentId"]) !== null || source.startsWith("agent-"))
    return { ...base, author: "agent", rule: "user.agent_task" };
  if (data["isAutopilotContinuation"] === true) return { ...base, rule: "user.autopilot" };
  if (source !== "" && source !== "user") return { ...base, rule: `user.${source.replace(/[-:].*$/s, "")}` };
  if (NOTIFICATION.test(text)) return { ...base, rule: "user.notification" };
  if (SKILL.test(text)) return { ...base, rule: "user.skill" };
  // Another session's message is wrapped on its way to the model; a human quoting the tag has it in the typed text too.
  const sent = str(data["transformedContent"]) ?? "";
  if (sent.includes(CROSS) && !text.includes(CROSS)) return { ...base, author: "agent", rule: "user.cross_session" };
  const delivery = str(data["delivery"]);
  const queued = delivery === "steering" || delivery === "queued";
  const kind: TriggerKind = queued ? "queued" : COMMAND.test(text) ? "command" : "prompt";
  return { author: "human", rule: queued ? `user.${delivery}` : "user.typed", text, kind };
}
