import type { Cursor, Drift, Entry, LineStartCursor, ReadContext, Reading } from "../contract.ts";
import { DriftCounter } from "./drift.ts";
import { forgetImpossible, withImpossible } from "./impossible.ts";

/** The lines of a file in order, and where the next one begins. */
export interface LinesInOrder<Line> {
  readonly position: LineStartCursor;
  next(): Line | null;
  close(): void;
}

/** One pass over the lines of a file: an entry for each, until somebody stops it; resumable after every certain entry. */
export abstract class LineReading<Line, State extends object, Lines extends LinesInOrder<Line>> implements Reading {
  protected readonly ctx: ReadContext;
  protected readonly lines: Lines;
  /** All the reader remembers between two lines; what it holds has a form in JSON. */
  protected readonly state: State;
  protected readonly counter: DriftCounter = new DriftCounter();
  /** Where the next reading begins: before the first uncertain entry, for nothing from there on may be skipped. */
  #held: Cursor | null = null;

  protected constructor(ctx: ReadContext, lines: Lines, state: State) {
    this.ctx = ctx;
    this.lines = lines;
    this.state = state;
  }

  *[Symbol.iterator](): Generator<Entry, void, undefined> {
    const { ctx, lines } = this;
    try {
      for (;;) {
        if (ctx.signal?.aborted === true) return;
        const before = lines.position;
        const line = lines.next();
        if (line === null) return;
        forgetImpossible();
        yield withImpossible(this.entryOf(line, before));
      }
    } finally {
      lines.close();
    }
  }

  cursor(): Cursor {
    return this.#held ?? this.cursorAt(this.lines.position);
  }

  drift(): Drift {
    return this.counter.snapshot();
  }

  /** `before`: where the line began. */
  protected abstract entryOf(line: Line, before: LineStartCursor): Entry;

  /** What is remembered now, as the state of a cursor. */
  protected saved(): unknown {
    return JSON.parse(JSON.stringify(this.state)) as unknown;
  }

  protected cursorAt(position: LineStartCursor): Cursor {
    return { ...position, state: this.saved() };
  }

  /**
   * Whether an entry is uncertain: by itself (`open`), or because one before it is and both will be read again. To be asked before
   * the line has any effect on the state.
   */
  protected hold(before: LineStartCursor, open: boolean): boolean {
    if (open && this.#held === null) this.#held = this.cursorAt(before);
    return this.#held !== null;
  }

  /** The same where the effects come with the verdict, and the cursor had to be made before. */
  protected holdAt(before: Cursor): void {
    this.#held ??= before;
  }

  protected get isHeld(): boolean {
    return this.#held !== null;
  }
}
