import { closeSync, readSync } from "node:fs";
import { obj, str, type Native } from "../kit/native.ts";
import { parseJson } from "../../io/json.ts";
import { openFile } from "../../io/regular-file.ts";

const HEAD = 64 * 1024;
const TYPES: ReadonlySet<string> = new Set(["user", "assistant", "tool_result", "system"]);

/** Whether the head of a file looks like Qwen Code's: Claude's envelope with the bodies of Gemini. */
export function isQwenFile(path: string): "yes" | "no" | "unreadable" {
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
  return /"parts":\[/.test(head) && /"parentUuid":/.test(head) ? "yes" : "no";
}

function judge(line: string): boolean | null {
  let record: Native | null;
  try {
    record = obj(parseJson(line));
  } catch {
    return null;
  }
  const type = str(record?.["type"]);
  if (!record || type === null) return null;
  if (!TYPES.has(type) || !("parentUuid" in record)) return false;
  if ("provenance" in record || "systemPayload" in record) return true;
  const message = obj(record["message"]);
  return message === null ? null : "parts" in message;
}
