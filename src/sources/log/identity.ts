import { headerIn, HEADER_BYTES, type LogHeader } from "../../format/header.ts";
import { idOfLogPath } from "../../format/log-path.ts";
import { headOf } from "../kit/sniff.ts";

export const SOURCE_ID = "log";

/** The header of a log; null if the file is not a log. */
export function headerOf(path: string): LogHeader | "unreadable" | null {
  const head = headOf(path, HEADER_BYTES);
  return head === null ? "unreadable" : headerIn(head);
}

/** The id from the header, or the file's name if the header cannot be read. */
export function sessionIdOf(path: string): string {
  const header = headerOf(path);
  return header === null || header === "unreadable" ? idOfLogPath(path) : header.session_id;
}
