/** What ruled the work last, so that only changes are written. */
export interface Ruling {
  model: string | null;
  effort: string | null;
  cwd: string | null;
  /** Every answer states its instructions: kind and path to the hash of the text stated last. */
  instructions: Record<string, string>;
}

/** The whole memory of the reader between two messages. Small, plain JSON. */
export interface ReaderState {
  /** Title reported last; a session row is rewritten in place, so a change shows only when rows follow. */
  title: string | null;
  ruling: Ruling;
  /** A trigger of this session itself has been seen: nothing after it is inherited. */
  own: boolean;
  /** Who asked for the compaction whose summary is still to come. */
  compaction: "manual" | "auto" | null;
  /** The compaction was forced by an overflow: the last prompt will be written a second time. */
  overflow: boolean;
  /** Text of the last trigger, shortened: enough to know its replay. */
  prompt: string | null;
  /** When the agent finished its latest message; a prompt made before that was typed into running work. */
  busyUntil: number | null;
  /** Calls of the message before, in databases where results have rows of their own: tool, file, and whether it is made. */
  calls?: Record<string, [tool: string, path: string | null, created: boolean]>;
}

/** What a cursor carries: the state before the message the reader stands in, and how many of its rows were taken. */
export interface SavedPlace {
  state: ReaderState;
  /** Messages taken whole. */
  messages: number;
  /** Rows taken of the next one. */
  rows: number;
  /** Id of the message taken last; when another stands there the session was rewritten and is read from its start. */
  last: string | null;
}

export function freshState(): ReaderState {
  return {
    title: null,
    ruling: { model: null, effort: null, cwd: null, instructions: {} },
    own: false,
    compaction: null,
    overflow: false,
    prompt: null,
    busyUntil: null,
  };
}

/** The place a cursor names; null for a cursor of another make, which is not half-understood. */
export function loadPlace(saved: unknown): SavedPlace | null {
  if (typeof saved !== "object" || saved === null) return null;
  const place = structuredClone(saved) as Partial<SavedPlace>;
  if (typeof place.messages !== "number" || typeof place.rows !== "number" || !place.state) return null;
  return {
    state: { ...freshState(), ...place.state },
    messages: place.messages,
    rows: place.rows,
    last: place.last ?? null,
  };
}
