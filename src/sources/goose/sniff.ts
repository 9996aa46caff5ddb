import type { SourceRef } from "../contract.ts";
import { headOf, isSqlite } from "../kit/sniff.ts";
import { readForeign } from "../../io/sqlite-foreign.ts";
import { isGoose } from "./database.ts";
import { isHeader } from "./legacy.ts";
import { obj, parseOrUndefined } from "./native.ts";

/** An old session file: Goose's header, or a message in its shape. Other agents use `.jsonl` files too. */
export function isLegacyFile(path: string): boolean {
  const head = headOf(path) ?? "";
  const [line = ""] = head.split("\n", 1);
  const record = obj(parseOrUndefined(line));
  // A first line longer than the head can only be a message.
  if (!record) return /^\{"(?:id|role)":/.test(head) && head.includes('"created":') && head.includes('"content":[');
  if (isHeader(record))
    return "working_dir" in record || "accumulated_total_tokens" in record || "message_count" in record;
  return (
    typeof record["role"] === "string" && typeof record["created"] === "number" && Array.isArray(record["content"])
  );
}

export function recognises(ref: SourceRef): boolean {
  if (!isSqlite(ref.path)) return isLegacyFile(ref.path);
  try {
    return readForeign(ref.path, isGoose);
  } catch {
    return false;
  }
}
