import { obj, str, type Native } from "../kit/native.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";
import { SESSION_TYPES } from "./native.ts";

const CHAIN: ReadonlySet<string> = new Set(["user", "assistant", "system", "attachment", "progress"]);

/** Whether the head of a file looks like Claude Code's: other tools write similar records into `.jsonl` files, too. */
export function isClaudeFile(path: string): SniffResult {
  // The beginning of one huge first line cannot be parsed, but its first keys still identify the format.
  return sniff(path, judge, (head) => /"(?:parentUuid|isSidechain|leafUuid|userType)"/.test(head));
}

function judge(record: Native): boolean | null {
  const type = str(record["type"]);
  if (type === null) return null;
  if (SESSION_TYPES.has(type))
    return ["sessionId", "leafUuid", "messageId", "agentId", "key"].some((field) => field in record);
  if (!CHAIN.has(type)) return null;
  const message = obj(record["message"]);
  // Gemini and its forks use `parts` instead of `content`.
  if (message && "parts" in message) return false;
  const chained = ["parentUuid", "isSidechain", "sessionId", "userType"].some((field) => field in record);
  return chained || (message !== null && str(message["role"]) !== null && "content" in message);
}
