import type { LogRecord, SessionKind } from "../record.ts";

/** The request that began a turn. */
export interface LoggedRequest {
  seq: number;
  /** Its line in the log. */
  line: number;
  /** Its position in the native file, for logs exported from one. */
  origin: { line: number | null; path: string | null };
  /** The agent's own id of the turn. */
  native: string | null;
}

/** State of the preceding records that is needed to classify the next one. */
export interface LogMemory {
  session_id: string | null;
  /** The agent that wrote the log, or whose session was exported to it. */
  source: string | null;
  kind: SessionKind;
  next_seq: number;
  model: string | null;
  turns: Map<string, LoggedRequest>;
}

/** `LogMemory` as plain JSON. */
export interface SavedMemory extends Omit<LogMemory, "turns"> {
  turns: [string, LoggedRequest][];
}

export function emptyMemory(): LogMemory {
  return { session_id: null, source: null, kind: "root", next_seq: 0, model: null, turns: new Map() };
}

export function loadMemory({ turns, ...rest }: SavedMemory): LogMemory {
  return { ...rest, turns: new Map(turns) };
}

export function saveMemory({ turns, ...rest }: LogMemory): SavedMemory {
  return { ...rest, turns: [...turns] };
}

export function requestOf(record: LogRecord, line: number): LoggedRequest {
  const { seq, origin } = record;
  const native = "native_turn_id" in record ? (record.native_turn_id ?? null) : null;
  return { seq, line, origin: { line: origin.line ?? origin.row ?? null, path: origin.path ?? null }, native };
}
