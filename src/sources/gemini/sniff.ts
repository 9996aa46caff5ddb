import { closeSync, readSync } from "node:fs";
import { obj, type Native } from "../kit/native.ts";
import { parseJson } from "../../io/json.ts";
import { openFile } from "../../io/regular-file.ts";

const HEAD = 64 * 1024;

/** Whether the head of a file looks like a Gemini CLI session, as lines or as one document. */
export function isGeminiFile(path: string): "yes" | "no" | "unreadable" {
  let head: string;
  try {
    const file = openFile(path);
    try {
      const buffer = Buffer.alloc(HEAD);
      head = buffer.toString("utf8", 0, readSync(file, buffer, 0, HEAD, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return "unreadable";
  }
  for (const line of head.split("\n")) {
    const verdict = judge(line);
    if (verdict !== null) return verdict ? "yes" : "no";
  }
  // A document spread over many lines, or one line longer than the head.
  return /"sessionId"\s*:/.test(head) && /"projectHash"\s*:/.test(head) ? "yes" : "no";
}

function judge(line: string): boolean | null {
  let record: Native | null;
  try {
    record = obj(parseJson(line));
  } catch {
    return null;
  }
  if (!record) return null;
  if ("projectHash" in record && "sessionId" in record) return true;
  if ("$set" in record || "$rewindTo" in record || record["type"] === "gemini") return true;
  // Qwen Code, a relative, writes `message.parts` and chains its records.
  return "type" in record || "sessionId" in record ? false : null;
}
