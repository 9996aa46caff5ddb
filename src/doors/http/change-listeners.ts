import type { Daybook } from "../../answers/daybook.ts";
import type { ChangeEvent } from "./answers.ts";

/**
 * Time between two checks of the agents' files, in ms: a write is shown within a second. New files, and a store, may
 * take a few.
 */
const PACE: Pace = { every: 300, all: 3000 };

export interface Pace {
  every: number;
  all: number;
}

/** Watches the agents' files, or a store, as long as there is a listener. */
export class ChangeListeners {
  readonly #daybook: Daybook;
  readonly #failed: (error: unknown) => void;
  readonly #listeners = new Set<(event: ChangeEvent) => void>();
  readonly #pace: Pace;
  #stop: AbortController | null = null;
  #isSteady = false;

  constructor(daybook: Daybook, failed: (error: unknown) => void, pace: Pace = PACE) {
    this.#daybook = daybook;
    this.#failed = failed;
    this.#pace = pace;
  }

  /** From now on watches even without listeners, until closed. */
  begin(): void {
    this.#isSteady = true;
    if (this.#stop === null) void this.#watch((this.#stop = new AbortController()));
  }

  /** Returns a function that removes the listener. */
  listen(listener: (event: ChangeEvent) => void): () => void {
    this.#listeners.add(listener);
    if (this.#stop === null) void this.#watch((this.#stop = new AbortController()));
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0 && !this.#isSteady) this.close();
    };
  }

  close(): void {
    this.#stop?.abort();
    this.#stop = null;
  }

  async #watch(stop: AbortController): Promise<void> {
    try {
      for await (const { sync, sessions } of this.#daybook.watch({ ...this.#pace, signal: stop.signal })) {
        const event: ChangeEvent = {
          sessions: sessions.map(({ source, session_id }) => ({ source, session_id })),
          files_read: sync?.files_read ?? null,
        };
        if (sessions.length > 0) for (const listener of this.#listeners) listener(event);
      }
    } catch (error) {
      this.#failed(error);
      // The next listener tries again.
      if (this.#stop === stop) this.#stop = null;
    }
  }
}
