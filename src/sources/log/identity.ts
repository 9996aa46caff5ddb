import { basename } from "node:path";
import { headOf } from "../kit/sniff.ts";

export const SOURCE_ID = "log";

/** Headers are usually short; a long title or a list of untracked files makes them longer. */
const HEAD = 64 * 1024;

interface Header {
  session_id: string;
}

/** The header of a log; null if the file is not a log. */
export function headerOf(path: string): Header | "unreadable" | null {
  const head = headOf(path, HEAD);
  if (head === null) return "unreadable";
  const [line = ""] = head.replace(/^\uFEFF/, "").split("\n", 1);
  // Not parsed as JSON, because the line may be longer than the part that was read.
  if (!/^\{"schema_version":\d+,/.test(line) || !/"type":"session_meta"/.test(line)) return null;
  const id = /"session_id":("(?:[^"\\]|\\.)+")/.exec(line)?.[1];
  const session_id = id === undefined ? null : textIn(id);
  return session_id === null ? null : { session_id };
}

/** Null if the quoted text is not a valid JSON string. */
function textIn(quoted: string): string | null {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return null;
  }
}

/** The id from the header, or the file's name if the header cannot be read. */
export function sessionIdOf(path: string): string {
  const header = headerOf(path);
  return header === null || header === "unreadable" ? basename(path).replace(/\.jsonl$/i, "") : header.session_id;
}
