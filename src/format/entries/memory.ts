import type { LogRecord, SessionKind } from "../record.ts";

/** The request that began a turn. */
export interface Request {
  seq: number;
  /** Where it was read: a line of the log. */
  line: number;
  /** Where its own agent wrote it, for logs made from another file. */
  origin: { line: number | null; path: string | null };
  /** The agent's own name of the turn. */
  native: string | null;
}

/** What must be known of the records before, to say what the next one is. */
export interface LogMemory {
  session_id: string | null;
  /** The agent that wrote the log, or whose session it tells. */
  source: string | null;
  kind: SessionKind;
  next_seq: number;
  model: string | null;
  turns: Map<string, Request>;
}

/** As plain JSON. */
export interface SavedMemory extends Omit<LogMemory, "turns"> {
  turns: [string, Request][];
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

export function requestOf(record: LogRecord, line: number): Request {
  const { seq, origin } = record;
  const native = "native_turn_id" in record ? (record.native_turn_id ?? null) : null;
  return { seq, line, origin: { line: origin.line ?? origin.row ?? null, path: origin.path ?? null }, native };
}
