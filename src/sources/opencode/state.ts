/** The last settings reported, so that only changes are written. */
export interface Settings {
  model: string | null;
  effort: string | null;
  cwd: string | null;
  /** Every answer states its instructions: maps kind and path to the hash of the last text. */
  instructions: Record<string, string>;
}

/** The complete state of the reader between two messages. Small, plain JSON. */
export interface ReaderState {
  /** The last title reported; the session row is rewritten in place, so a change is reported only with later rows. */
  title: string | null;
  ruling: Settings;
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
  /** Who requested the compaction whose summary has not been read yet. */
  compaction: "manual" | "auto" | null;
  /** The compaction was forced by an overflow: the last prompt will be written a second time. */
  overflow: boolean;
  /** Shortened text of the last trigger, to recognise its replay. */
  prompt: string | null;
  /** When the agent finished its latest message; a prompt created before that was typed while the agent was working. */
  busyUntil: number | null;
  /**
   * Calls of the previous message, in databases where results have rows of their own: tool, file, and whether it is
   * created.
   */
  calls?: Record<string, [tool: string, path: string | null, created: boolean]>;
}

/** What a cursor carries: the state before the current message, and how many of its rows were read. */
export interface SavedPlace {
  state: ReaderState;
  /** Number of messages read completely. */
  messages: number;
  /** Number of rows read of the next message. */
  rows: number;
  /** Id of the last message read; if another is there, the session was rewritten and is read from its start. */
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

/** The place a cursor names; null for a cursor of another version, which is not partially used. */
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
