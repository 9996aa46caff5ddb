import type { SessionRef } from "./record.ts";

/** `source/session id`: the key of a session everywhere. The id of a session may contain slashes, that of a source not. */
export function sessionKey({ source, session_id }: SessionRef): string {
  return keyOfSession(source, session_id);
}

/** The same of its parts. */
export function keyOfSession(source: string, sessionId: string): string {
  return `${source}/${sessionId}`;
}

/** The same as an SQL expression, for a table with both columns. */
export function sessionKeySql(table: string): string {
  return `${table}.source || '/' || ${table}.session_id`;
}

/** The inverse of `sessionKey`. A name without a session is taken for a source. */
export function parseSessionKey(key: string): SessionRef {
  const slash = key.indexOf("/");
  if (slash === -1) return { source: key, session_id: "" };
  return { source: key.slice(0, slash), session_id: key.slice(slash + 1) };
}

/** The key of a turn that is named by an answer; `turn_ref` is null if the turn is not known. */
export function turnKey(said: SessionRef & { turn_ref: string | null }): string {
  return turnKeyIn(sessionKey(said), said.turn_ref ?? "");
}

/** The same from the session's key. */
export function turnKeyIn(session: string, ref: string): string {
  return `${session}/${ref}`;
}

/** The inverse of `turnKeyIn`. */
export function parseTurnKey(key: string): { session: string; turn_ref: string } {
  const slash = key.lastIndexOf("/");
  return { session: key.slice(0, slash), turn_ref: key.slice(slash + 1) };
}
