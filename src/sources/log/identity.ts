import { basename } from "node:path";
import { headOf } from "../kit/sniff.ts";

export const SOURCE_ID = "log";

/** Headers are short; a long title or a list of untracked files makes them longer. */
const HEAD = 64 * 1024;

interface Header {
  session_id: string;
}

/** What the header says, or what is wrong with the file. */
export function headerOf(path: string): Header | "unreadable" | null {
  const head = headOf(path, HEAD);
  if (head === null) return "unreadable";
  const [line = ""] = head.replace(/^\uFEFF/, "").split("\n", 1);
  // Not parsed: it may be longer than what was read of it.
  if (!/^\{"schema_version":\d+,/.test(line) || !/"type":"session_meta"/.test(line)) return null;
  const id = /"session_id":("(?:[^"\\]|\\.)+")/.exec(line)?.[1];
  const session_id = id === undefined ? null : textIn(id);
  return session_id === null ? null : { session_id };
}

/** Null where the quotes hold what no text may. */
function textIn(quoted: string): string | null {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return null;
  }
}

/** The header says it; the file's name stands in where it cannot be read. */
export function sessionIdOf(path: string): string {
  const header = headerOf(path);
  return header === null || header === "unreadable" ? basename(path).replace(/\.jsonl$/i, "") : header.session_id;
}
