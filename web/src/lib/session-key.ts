/** `source/session id`: the key of a session, as in every answer. */
export function sessionKey({ source, session_id }: { source: string; session_id: string }): string {
  return keyOfSession(source, session_id);
}

/** The same of its parts. */
export function keyOfSession(source: string, session: string): string {
  return `${source}/${session}`;
}

/** The key of a turn. */
export function turnKey(turn: { source: string; session_id: string; turn_ref: string | null }): string {
  return `${sessionKey(turn)}/${turn.turn_ref ?? ""}`;
}
