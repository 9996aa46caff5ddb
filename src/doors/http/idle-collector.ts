import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** By how many percent the heap may grow before a garbage collection; by default V8 lets it double. */
const GROWS = 30;
/** After this many ms without a request there is time to collect garbage. */
const QUIET = 3000;
/** In bytes: a smaller heap is not worth it. */
const SMALL = 48_000_000;

/**
 * Collects the garbage of a program that is open all day and asked in bursts. An answer leaves much of it behind, and an
 * idle engine does not collect it.
 */
export class IdleCollector {
  #timer: NodeJS.Timeout | undefined;
  #collect: (() => void) | null = null;

  /** Sets the flag for as long as the server runs. */
  begin(): void {
    setFlagsFromString(`--heap-growing-percent=${GROWS}`);
  }

  /** An answer was sent. */
  answered(): void {
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#tidy(), QUIET).unref();
  }

  end(): void {
    clearTimeout(this.#timer);
    // Zero restores the default.
    setFlagsFromString("--heap-growing-percent=0");
  }

  #tidy(): void {
    this.#timer = undefined;
    if (process.memoryUsage().heapTotal < SMALL) return;
    this.#collect ??= collector();
    this.#collect();
  }
}

/** `gc` is only visible in contexts created after the flag was set. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  return collect;
}
