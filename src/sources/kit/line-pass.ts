import type { JsonLine } from "./json-lines.ts";
import type { Cursor, Entry, LineStartCursor } from "../contract.ts";
import { forgetImpossible, tellImpossible } from "./impossible.ts";

/** The lines of a file, and where the next one begins. */
export interface LinesInOrder {
  readonly position: LineStartCursor;
  next(): JsonLine | null;
  close(): void;
}

/** One pass over the lines of a file: an entry for each, until somebody stops it. */
export function* entriesIn(
  lines: LinesInOrder,
  signal: AbortSignal | undefined,
  entryOf: (line: JsonLine, before: LineStartCursor) => Entry,
): Generator<Entry, void, undefined> {
  try {
    for (;;) {
      if (signal?.aborted) return;
      const before = lines.position;
      const line = lines.next();
      if (!line) return;
      forgetImpossible();
      yield tellImpossible(entryOf(line, before));
    }
  } finally {
    lines.close();
  }
}

/** Where the next reading begins: before the first uncertain entry, for nothing from there on may be skipped. */
export class Holding {
  readonly #save: () => unknown;
  #held: Cursor | null = null;

  /** `save`: the reader's memory as it is now. */
  constructor(save: () => unknown) {
    this.#save = save;
  }

  /** Whether an entry is uncertain: by itself (`open`), or because one before it is and both will be read again. */
  hold(before: LineStartCursor, open: boolean): boolean {
    if (open && !this.#held) this.#held = { ...before, state: this.#save() };
    return this.#held !== null;
  }

  cursor(position: LineStartCursor): Cursor {
    return this.#held ?? { ...position, state: this.#save() };
  }
}
