import type { JsonLines } from "../json-lines.ts";
import { obj, str, type Native } from "./native.ts";

/** How far a verdict may look. */
const REACH = 24;

export interface Foreseen {
  value: boolean;
  /** The file ended before the following records could decide. */
  open: boolean;
}

/** Whether the model was heard again before the human spoke: then an error or a cut-off reply did not end the turn. */
export function goesOn(lines: JsonLines): Foreseen {
  for (let k = 0; k < REACH; k++) {
    const line = lines.peek(k);
    if (line === null || !line.terminated) return { value: false, open: true };
    const answer = line.value ? heard(line.value) : null;
    if (answer !== null) return { value: answer, open: false };
  }
  return { value: false, open: false };
}

function heard(record: Native): boolean | null {
  switch (record["type"]) {
    case "assistant":
    case "tool_result":
      return true;
    case "user":
      return false;
    default: {
      const event = obj(obj(record["systemPayload"])?.["uiEvent"]);
      const own = event !== null && str(event["subagent_id"]) === null;
      return own && str(event["event.name"]) === "qwen-code.api_response" ? true : null;
    }
  }
}
