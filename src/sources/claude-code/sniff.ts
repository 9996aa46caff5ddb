import { closeSync, readSync } from "node:fs";
import { SESSION_TYPES } from "./native.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { parseJson } from "../../io/json.ts";
import { openFile } from "../../io/regular-file.ts";

const HEAD = 64 * 1024;
const CHAIN: ReadonlySet<string> = new Set(["user", "assistant", "system", "attachment", "progress"]);

/** Whether the head of a file looks like Claude Code's: some tools write similar records into `.jsonl` files of their own. */
export function isClaudeFile(path: string): "yes" | "no" | "unreadable" {
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
  // One huge first line cannot be parsed from its head; its first keys still show whose it is.
  return /"(?:parentUuid|isSidechain|leafUuid|userType)"/.test(head) ? "yes" : "no";
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
  if (SESSION_TYPES.has(type))
    return ["sessionId", "leafUuid", "messageId", "agentId", "key"].some((field) => field in record);
  if (!CHAIN.has(type)) return null;
  const message = obj(record["message"]);
  // Gemini's relatives keep `parts`, not `content`.
  if (message && "parts" in message) return false;
  const chained = ["parentUuid", "isSidechain", "sessionId", "userType"].some((field) => field in record);
  return chained || (message !== null && str(message["role"]) !== null && "content" in message);
}
