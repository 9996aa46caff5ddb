import { list, obj, str, type Native } from "../kit/native.ts";

/** A message document converted to the current shape, with the parts that were stored inside it. */
export interface Unfolded {
  message: Native;
  inline: Native[];
}

/**
 * The first releases (before 0.2) kept a whole message in one document, in the shape of the AI SDK: parts inline, and
 * what is now in the message under `metadata`.
 */
export function unfold(data: Native): Unfolded {
  if (!Array.isArray(data["parts"])) return { message: data, inline: [] };
  const metadata = obj(data["metadata"]) ?? {};
  const assistant = obj(metadata["assistant"]) ?? {};
  const message: Native = {
    ...assistant,
    ...data,
    time: data["time"] ?? metadata["time"],
    error: data["error"] ?? metadata["error"],
  };
  delete message["parts"];
  delete message["metadata"];
  const inline = list(data["parts"]).flatMap((value) => {
    const part = obj(value);
    return part ? [inlinePart(part, obj(metadata["tool"]))] : [];
  });
  return { message, inline };
}

function inlinePart(part: Native, tools: Native | null): Native {
  if (part["type"] !== "tool-invocation") return part;
  const call = obj(part["toolInvocation"]) ?? {};
  const id = str(call["toolCallId"]) ?? "";
  const metadata = obj(tools?.[id]);
  const done = call["state"] === "result";
  const failed = metadata?.["error"] === true;
  const state: Native = {
    status: done ? (failed ? "error" : "completed") : "running",
    input: call["args"],
    metadata,
    time: metadata?.["time"],
  };
  if (done) state[failed ? "error" : "output"] = failed ? (metadata?.["message"] ?? call["result"]) : call["result"];
  return { type: "tool", callID: id, tool: call["toolName"], state };
}
