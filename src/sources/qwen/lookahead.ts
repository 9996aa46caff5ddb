import type { Lines } from "../kit/json-lines.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { agentOf } from "./usage.ts";

/** How many records a verdict may look ahead. */
const REACH = 24;

export interface Lookahead<T> {
  value: T;
  /** The file ended before the following records could decide. */
  open: boolean;
}

/** The first decision found in the following records. A torn last line counts as the end of the file. */
function scan<T>(lines: Lines, look: (record: Native) => T | undefined, otherwise: T): Lookahead<T> {
  for (let k = 0; k < REACH; k++) {
    const line = lines.peek(k);
    if (line === null || !line.terminated) return { value: otherwise, open: true };
    const value = line.value ? look(line.value) : undefined;
    if (value !== undefined) return { value, open: false };
  }
  return { value: otherwise, open: false };
}

/** Whether the model continued before the next human message: then an error or a cut-off reply did not end the turn. */
export function agentContinues(lines: Lines): Lookahead<boolean> {
  return scan<boolean>(lines, (record) => (record["type"] === "user" ? false : isModelActivity(record)), false);
}

function isModelActivity(record: Native): true | undefined {
  if (record["type"] === "assistant" || record["type"] === "tool_result") return true;
  const event = obj(obj(record["systemPayload"])?.["uiEvent"]);
  const own = event !== null && agentOf(event) === null;
  return own && str(event["event.name"]) === "qwen-code.api_response" ? true : undefined;
}

/**
 * The effect of a slash command: a prompt it expands to, work of a model without a prompt, or an answer by the client
 * alone.
 */
export type CommandEffect = "expanded" | "model" | "local";

/** `sent`: whether the command reached the model, if the record states it; otherwise the following records decide. */
export function commandEffectAhead(lines: Lines, sent: boolean | null): Lookahead<CommandEffect> {
  let answered = false;
  return scan<CommandEffect>(
    lines,
    (record) => {
      if (isModelActivity(record)) return "model";
      const subtype = str(record["subtype"]);
      if (subtype === "chat_compression" || subtype === "goal_runtime") return "model";
      if (subtype === "slash_command") {
        if (obj(record["systemPayload"])?.["phase"] === "invocation") return "local";
        answered = true;
      }
      if (record["type"] !== "user") return undefined;
      return sent === true || (sent === null && !answered) ? "expanded" : "local";
    },
    "local",
  );
}
