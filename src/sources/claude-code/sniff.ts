import { obj, str, type Native } from "../kit/native.ts";
import { sniff, type Sniffed } from "../kit/sniff.ts";
import { SESSION_TYPES } from "./native.ts";

const CHAIN: ReadonlySet<string> = new Set(["user", "assistant", "system", "attachment", "progress"]);

/** Whether the head of a file looks like Claude Code's: some tools write similar records into `.jsonl` files of their own. */
export function isClaudeFile(path: string): Sniffed {
  // One huge first line cannot be parsed from its head; its first keys still show whose it is.
  return sniff(path, judge, (head) => /"(?:parentUuid|isSidechain|leafUuid|userType)"/.test(head));
}

function judge(record: Native): boolean | null {
  const type = str(record["type"]);
  if (type === null) return null;
  if (SESSION_TYPES.has(type))
    return ["sessionId", "leafUuid", "messageId", "agentId", "key"].some((field) => field in record);
  if (!CHAIN.has(type)) return null;
  const message = obj(record["message"]);
  // Gemini's relatives keep `parts`, not `content`.
  if (message && "parts" in message) return false;
  const chained = ["parentUuid", "isSidechain", "sessionId", "userType"].some((field) => field in record);
  return chained || (message !== null && str(message["role"]) !== null && "content" in message);
}
