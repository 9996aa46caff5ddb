import { createHash } from "node:crypto";
import { time } from "./native.ts";
import { count, num, obj, str, type Native } from "../kit/native.ts";

/**
 * A fork clones messages and parts under new ids but keeps their content: times in ms, texts, call ids and token
 * counts. The digest of these is equal in every copy and, because of the times, unique otherwise.
 */
export function fingerprint(message: Native, parts: readonly (Native | null)[]): string {
  const times = obj(message["time"]);
  const tokens = obj(message["tokens"]);
  const hash = createHash("sha1");
  const own = [
    str(message["role"]),
    time(times?.["created"]),
    num(times?.["completed"]),
    str(message["modelID"]),
    count(tokens?.["input"]),
    count(tokens?.["output"]),
  ];
  hash.update(JSON.stringify(own));
  for (const part of parts) {
    if (!part) continue;
    // Outputs are left out: pruning and late results change them in one copy only.
    const text = str(part["text"]);
    hash.update(JSON.stringify([str(part["type"]), str(part["callID"]), text === null ? null : text.slice(0, 400)]));
  }
  return hash.digest("hex").slice(0, 24);
}
