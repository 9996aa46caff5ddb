import { DocumentLines } from "../kit/document-lines.ts";
import { JsonLines, type Lines } from "../kit/json-lines.ts";
import type { LineStartCursor, ReadContext, SourceRef } from "../contract.ts";
import { list, obj, objects, str, type Native } from "../kit/native.ts";
import { parseJson } from "../../base/io/json.ts";

export function openLines(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext): Lines {
  return ref.container === "json" ? new DocumentLines(ref, from, ctx, eventsOf) : new JsonLines(ref, from, ctx);
}

/**
 * The first versions kept a session as one JSON document with the messages of the API. The header becomes line 1 and
 * message n line n + 1, each converted to the event a later version would write.
 */
function eventsOf(document: Native): unknown[] {
  const { sessionId, startTime } = document;
  const start: Native = { type: "session.start", timestamp: startTime, data: { sessionId, startTime } };
  const messages = list(document["chatMessages"]).map((item, i) => {
    const message = obj(item);
    return message ? { id: `${str(sessionId) ?? ""}:${i + 2}`, ...eventOf(message) } : item;
  });
  return [start, ...messages];
}

function eventOf(message: Native): Native {
  const content = str(message["content"]) ?? "";
  switch (message["role"]) {
    case "user":
      return { type: "user.message", data: { content } };
    case "system":
      return { type: "system.message", data: { role: "system", content } };
    case "tool":
      return { type: "tool.execution_complete", data: { toolCallId: message["tool_call_id"], result: { content } } };
    case "assistant":
      return { type: "assistant.message", data: { content, toolRequests: requestsOf(message) } };
    default:
      return { type: `chatMessages/${str(message["role"]) ?? "(no role)"}` };
  }
}

function requestsOf(message: Native): Native[] {
  return objects(message["tool_calls"]).map((call) => {
    const named = obj(call["function"]);
    return { toolCallId: call["id"], name: named?.["name"], arguments: argumentsOf(named?.["arguments"]) };
  });
}

function argumentsOf(raw: unknown): unknown {
  try {
    return typeof raw === "string" ? parseJson(raw) : raw;
  } catch {
    return raw;
  }
}
