import type { Daybook } from "../daybook.ts";
import type { ChangeEvent } from "./answers.ts";

/** Time between two looks at the agents' files, in ms: what is written is shown within a second. New files may take a few. */
const EVERY = 300;
const ALL = 3000;

/** Watches the agents' files for as long as somebody listens. */
export class ChangeListeners {
  readonly #daybook: Daybook;
  readonly #failed: (error: unknown) => void;
  readonly #listeners = new Set<(event: ChangeEvent) => void>();
  #stop: AbortController | null = null;

  constructor(daybook: Daybook, failed: (error: unknown) => void) {
    this.#daybook = daybook;
    this.#failed = failed;
  }

  /** Gives what ends it. */
  listen(listener: (event: ChangeEvent) => void): () => void {
    this.#listeners.add(listener);
    if (this.#stop === null) void this.#watch((this.#stop = new AbortController()));
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#stop?.abort();
    this.#stop = null;
  }

  async #watch(stop: AbortController): Promise<void> {
    try {
      for await (const { sync, sessions } of this.#daybook.watch({ every: EVERY, all: ALL, signal: stop.signal })) {
        const event: ChangeEvent = {
          sessions: sessions.map(({ source, session_id }) => ({ source, session_id })),
          files_read: sync?.files_read ?? null,
        };
        if (sessions.length > 0) for (const listener of this.#listeners) listener(event);
      }
    } catch (error) {
      this.#failed(error);
      // Whoever listens next tries again.
      if (this.#stop === stop) this.#stop = null;
    }
  }
}
