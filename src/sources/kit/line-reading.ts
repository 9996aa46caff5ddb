import type { Cursor, Drift, Entry, LineStartCursor, ReadContext, Reading } from "../contract.ts";
import { DriftCounter } from "./drift.ts";
import { resetImpossibleNumbers, reportImpossibleNumbers } from "./impossible-numbers.ts";

/** The lines of a file in order, and the position of the next line. */
export interface LinesInOrder<Line> {
  readonly position: LineStartCursor;
  next(): Line | null;
  close(): void;
}

/**
 * One pass over a file: yields an entry per line until the caller stops; resumable after every entry that is not
 * tentative.
 */
export abstract class LineReading<Line, State extends object, Lines extends LinesInOrder<Line>> implements Reading {
  protected readonly ctx: ReadContext;
  protected readonly lines: Lines;
  /** Everything the reader remembers between two lines; must be serialisable to JSON. */
  protected readonly state: State;
  protected readonly counter: DriftCounter = new DriftCounter();
  /** Where the next reading starts if an entry was tentative: before the first of them, so that all are read again. */
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
        resetImpossibleNumbers();
        yield reportImpossibleNumbers(this.entryOf(line, before));
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

  /** `before` is the position of the line. */
  protected abstract entryOf(line: Line, before: LineStartCursor): Entry;

  /** A copy of the current state, for a cursor. */
  protected savedState(): unknown {
    return JSON.parse(JSON.stringify(this.state)) as unknown;
  }

  protected cursorAt(position: LineStartCursor): Cursor {
    return { ...position, state: this.savedState() };
  }

  /**
   * Whether an entry is tentative: by itself (`open`), or because an earlier one is and both will be read again. Holds
   * the cursor at the first such entry. Must be called before the line changes the state.
   */
  protected holdCursor(before: LineStartCursor, open: boolean): boolean {
    if (open && this.#held === null) this.#held = this.cursorAt(before);
    return this.#held !== null;
  }

  /**
   * Like `holdCursor`, for readers that change the state while judging a line and so have to make the cursor
   * beforehand.
   */
  protected holdCursorAt(before: Cursor): void {
    this.#held ??= before;
  }

  protected get isHeld(): boolean {
    return this.#held !== null;
  }
}
