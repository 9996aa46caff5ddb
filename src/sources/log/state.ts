import type { LogRecord, SessionKind } from "../../format/record.ts";

/** The request that began a turn. */
export interface Request {
  seq: number;
  /** Line of the log. */
  line: number;
  /** Where its own agent wrote it, for logs made from another file. */
  origin: { line: number | null; path: string | null };
  /** The agent's own name of the turn. */
  native: string | null;
}

/** The whole memory of the reader between two records. */
export interface ReaderState {
  session_id: string | null;
  /** The agent that wrote the log, or whose session it tells. */
  source: string | null;
  kind: SessionKind;
  next_seq: number;
  model: string | null;
  turns: Map<string, Request>;
}

interface SavedState extends Omit<ReaderState, "turns"> {
  turns: [string, Request][];
}

export function freshState(): ReaderState {
  return { session_id: null, source: null, kind: "root", next_seq: 0, model: null, turns: new Map() };
}

export function loadState(saved: unknown): ReaderState {
  const { turns, ...rest } = saved as SavedState;
  return { ...rest, turns: new Map(turns) };
}

export function saveState({ turns, ...rest }: ReaderState): SavedState {
  return { ...rest, turns: [...turns] };
}

export function requestOf({ seq, origin }: LogRecord, line: number, native: string | null): Request {
  return { seq, line, origin: { line: origin.line ?? origin.row ?? null, path: origin.path ?? null }, native };
}
