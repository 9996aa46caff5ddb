import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The heap may grow by so many percent until it is looked through for what nobody needs; by itself the engine lets it double. */
const GROWS = 30;
/** Nobody asked for so long, in ms: there is time to tidy up. */
const QUIET = 3000;
/** Bytes: a smaller heap is not worth it. */
const SMALL = 48_000_000;

/**
 * Memory of a program that is open all day and asked in bursts. An answer leaves much behind that nobody needs, and an engine that has
 * nothing to do does not look for it.
 */
export class Memory {
  #timer: NodeJS.Timeout | undefined;
  #collect: (() => void) | null = null;

  /** For as long as it serves. */
  begin(): void {
    setFlagsFromString(`--heap-growing-percent=${GROWS}`);
  }

  /** Somebody was answered. */
  answered(): void {
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#tidy(), QUIET).unref();
  }

  end(): void {
    clearTimeout(this.#timer);
    // Zero: as the engine likes it.
    setFlagsFromString("--heap-growing-percent=0");
  }

  #tidy(): void {
    this.#timer = undefined;
    if (process.memoryUsage().heapTotal < SMALL) return;
    this.#collect ??= collector();
    this.#collect();
  }
}

/** The engine lends it to those that ask before they are made. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  return collect;
}
