import type { OpenCall } from "./calls.ts";

/** The whole memory of the reader between two rows. Small, plain JSON. */
export interface ReaderState {
  title: string | null;
  /** Prompts met so far, the recipe of a scheduled run included. */
  prompts: number;
  /** A trigger of this session itself has been seen: nothing after it is inherited. */
  own: boolean;
  /** Prompts put aside by a compaction, whose copy is still to come. */
  archived: string[];
  /** Messages were taken from the model and no summary has stood for them yet. */
  away: boolean;
  /** The last prompt asked for a compaction. */
  compacting: boolean;
  /** Usage reported last: the session row is rewritten in place, and only a change is new. */
  usage: string | null;
  /** Calls without a result, for what the result does not say itself. */
  calls: [id: string, call: OpenCall][];
}

const MOST_CALLS = 32;

export function freshState(): ReaderState {
  return { title: null, prompts: 0, own: false, archived: [], away: false, compacting: false, usage: null, calls: [] };
}

export function noteCall(state: ReaderState, id: string, call: OpenCall): void {
  state.calls.push([id, call]);
  if (state.calls.length > MOST_CALLS) state.calls.shift();
}

export function takeCall(state: ReaderState, id: string): OpenCall | null {
  const at = state.calls.findIndex(([known]) => known === id);
  return at < 0 ? null : (state.calls.splice(at, 1)[0]?.[1] ?? null);
}

/** The state a cursor carries; null for a cursor of another make, which is not half-understood. */
export function loadState(saved: unknown): ReaderState | null {
  if (typeof saved !== "object" || saved === null || !("archived" in saved)) return null;
  return { ...freshState(), ...(structuredClone(saved) as ReaderState) };
}
