import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

/** A full-screen terminal. */
export interface Screen {
  /** Switches to the alternate screen; `close` restores the previous content. */
  open(): void;
  draw(text: string): void;
  /** The next key; null if none is pressed within that many milliseconds, or when stopped. */
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
      // Overwrites line by line: clearing the screen first would flicker.
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
