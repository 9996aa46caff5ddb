import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

/** A terminal that is drawn on as a whole. */
export interface Screen {
  /** Takes the terminal; what stands on it comes back with `close`. */
  open(): void;
  draw(text: string): void;
  /** The next key, or null when none comes within so many milliseconds, or it is stopped. */
  key(within: number, stop: AbortSignal): Promise<string | null>;
  columns(): number;
  close(): void;
}

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const TO_END_OF_LINE = "\u001b[K";
const BELOW = "\u001b[J";

/** The terminal of this process. */
export function processScreen(): Screen {
  const { stdin, stdout } = process;
  return {
    open() {
      stdout.write(ENTER);
      stdin.setRawMode?.(true);
      stdin.resume();
    },
    draw(text) {
      // Line by line over what was there: emptied first it would flicker.
      stdout.write(`${HOME}${text.replaceAll("\n", `${TO_END_OF_LINE}\n`)}${BELOW}`);
    },
    async key(within, stop) {
      const done = new AbortController();
      const signal = AbortSignal.any([done.signal, stop]);
      try {
        const pressed = once(stdin, "data", { signal }).then(([bytes]) => String(bytes));
        return await Promise.race([pressed, wait(within, null, { signal })]);
      } catch (error) {
        if (stop.aborted) return null;
        throw error;
      } finally {
        done.abort();
      }
    },
    columns: () => stdout.columns || 80,
    close() {
      stdin.setRawMode?.(false);
      stdin.pause();
      stdout.write(LEAVE);
    },
  };
}
