import type { Native } from "../kit/native.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";

/** Whether the head of a file looks like a Gemini CLI session, as lines or as one document. */
export function isGeminiFile(path: string): SniffResult {
  // Matches a document spread over many lines, or one line longer than the head.
  return sniff(path, judge, (head) => /"sessionId"\s*:/.test(head) && /"projectHash"\s*:/.test(head));
}

function judge(record: Native): boolean | null {
  if ("projectHash" in record && "sessionId" in record) return true;
  if ("$set" in record || "$rewindTo" in record || record["type"] === "gemini") return true;
  // Qwen Code, which is derived from Gemini CLI, writes `message.parts` and chains its records.
  return "type" in record || "sessionId" in record ? false : null;
}
