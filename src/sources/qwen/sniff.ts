import { obj, str, type Native } from "../kit/native.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";

const TYPES: ReadonlySet<string> = new Set(["user", "assistant", "tool_result", "system"]);

/** Whether the head of a file looks like Qwen Code's format: Claude's envelope with Gemini's bodies. */
export function isQwenFile(path: string): SniffResult {
  return sniff(path, judge, (head) => /"parts":\[/.test(head) && /"parentUuid":/.test(head));
}

function judge(record: Native): boolean | null {
  const type = str(record["type"]);
  if (type === null) return null;
  if (!TYPES.has(type) || !("parentUuid" in record)) return false;
  if ("provenance" in record || "systemPayload" in record) return true;
  const message = obj(record["message"]);
  return message === null ? null : "parts" in message;
}
