import { fieldsByType, type SingleVersionDrift } from "../kit/drift.ts";
import type { GooseMessage } from "./message.ts";
import { str, type Native } from "./native.ts";

const CONTENT: Readonly<Record<string, string>> = {
  text: "type text annotations _meta",
  image: "type data mimeType annotations _meta",
  toolRequest: "type id toolCall metadata _meta thoughtSignature toolMeta",
  toolResponse: "type id toolResult metadata _meta",
  frontendToolRequest: "type id toolCall",
  toolConfirmationRequest: "type id toolName arguments prompt",
  actionRequired: "type data",
  thinking: "type thinking signature",
  redactedThinking: "type data",
  reasoning: "type text",
  systemNotification: "type notificationType msg data",
  conversationCompacted: "type msg",
  contextLengthExceeded: "type msg",
  summarizationRequested: "type msg",
};

const METADATA = new Set(["userVisible", "agentVisible", "turnContext", "inference", "usage"]);

const KNOWN = fieldsByType(CONTENT);

export function noteFields(drift: SingleVersionDrift, message: GooseMessage): void {
  for (const node of message.content ?? [])
    drift.countUnknownFields(`content/${typeOf(node)}`, node, KNOWN.get(typeOf(node)));
  if (message.metadata) drift.countUnknownFields("metadata", message.metadata, METADATA);
}

export function typeOf(node: Native): string {
  return str(node["type"]) ?? "(untyped)";
}
