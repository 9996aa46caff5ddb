import type { Lines } from "../kit/json-lines.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { agentOf } from "./usage.ts";

/** How far a verdict may look. */
const REACH = 24;

export interface Foreseen<T> {
  value: T;
  /** The file ended before the following records could decide. */
  open: boolean;
}

/** The first answer among the following records. A torn last line counts as the end of the file. */
function scan<T>(lines: Lines, look: (record: Native) => T | undefined, otherwise: T): Foreseen<T> {
  for (let k = 0; k < REACH; k++) {
    const line = lines.peek(k);
    if (line === null || !line.terminated) return { value: otherwise, open: true };
    const value = line.value ? look(line.value) : undefined;
    if (value !== undefined) return { value, open: false };
  }
  return { value: otherwise, open: false };
}

/** Whether the model was heard again before the human spoke: then an error or a cut-off reply did not end the turn. */
export function goesOn(lines: Lines): Foreseen<boolean> {
  return scan<boolean>(lines, (record) => (record["type"] === "user" ? false : heard(record)), false);
}

function heard(record: Native): true | undefined {
  if (record["type"] === "assistant" || record["type"] === "tool_result") return true;
  const event = obj(obj(record["systemPayload"])?.["uiEvent"]);
  const own = event !== null && agentOf(event) === null;
  return own && str(event["event.name"]) === "qwen-code.api_response" ? true : undefined;
}

/** What a slash command led to: a prompt it expands to, work of a model without one, or an answer of the client alone. */
export type CommandEffect = "expanded" | "model" | "local";

/** `sent` is what the record itself says about reaching the model; versions that do not say are judged by what follows. */
export function foreseeCommand(lines: Lines, sent: boolean | null): Foreseen<CommandEffect> {
  let answered = false;
  return scan<CommandEffect>(
    lines,
    (record) => {
      if (heard(record)) return "model";
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
