import { parseJson } from "../base/io/json.ts";

/** The header as it is looked for in the first bytes of a file. */
export interface LogHeader {
  session_id: string;
}

/** Bytes to look at. Headers are usually short; a long title or a list of untracked files makes them longer. */
export const HEADER_BYTES: number = 64 * 1024;

/** The header at the beginning of a log; null if the file does not begin with one. */
export function headerIn(head: string): LogHeader | null {
  const [line = ""] = head.replace(/^\uFEFF/, "").split("\n", 1);
  return parsedHeader(line) ?? cutHeader(line);
}

/** Writers order their fields and put spaces as they like. */
function parsedHeader(line: string): LogHeader | null {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { schema_version, type, session_id } = value as Record<string, unknown>;
  if (typeof schema_version !== "number" || type !== "session_meta") return null;
  return typeof session_id === "string" && session_id !== "" ? { session_id } : null;
}

/** For a header longer than what was read: the fields that every writer of long headers puts first. */
function cutHeader(line: string): LogHeader | null {
  if (!/^\s*\{\s*"schema_version"\s*:\s*\d+\s*,/.test(line) || !/"type"\s*:\s*"session_meta"/.test(line)) return null;
  const id = /"session_id"\s*:\s*("(?:[^"\\]|\\.)+")/.exec(line)?.[1];
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
