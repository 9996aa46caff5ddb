import type { OpenCall } from "./calls.ts";

/** The complete state of the reader between two rows. Small, plain JSON. */
export interface ReaderState {
  title: string | null;
  /** Number of prompts read so far, including the recipe of a scheduled run. */
  prompts: number;
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
  /** Prompts archived by a compaction whose copy has not been read yet. */
  archived: string[];
  /** Messages were removed from the model's context, and the summary that replaces them has not been read yet. */
  away: boolean;
  /** The last prompt requested a compaction. */
  compacting: boolean;
  /** Usage reported last: the session row is rewritten in place, and only a change is reported again. */
  usage: string | null;
  /** Calls without a result yet, for facts that the result does not repeat. */
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

/** The state a cursor carries; null for a cursor of another version, which is not partially used. */
export function loadState(saved: unknown): ReaderState | null {
  if (typeof saved !== "object" || saved === null || !("archived" in saved)) return null;
  return { ...freshState(), ...(structuredClone(saved) as ReaderState) };
}
