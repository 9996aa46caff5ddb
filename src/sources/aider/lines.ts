import { openPlain } from "../../io/bytes.ts";
import { readLines, type LineStart, type RawLine } from "../../io/lines.ts";
import type { LineStartCursor, ReadContext } from "../contract.ts";
import { lexLine, type LexedLine, type LexState } from "./lexer.ts";

/** A classified physical line of a run. */
export interface RunLine extends LexedLine, RawLine {
  /** The lexer state at the start of the line, which becomes part of a cursor to it. */
  before: LexState;
}

/** The lines of one run with look-ahead. Stops before the header of the next run. */
export class RunLines {
  readonly #lines: Generator<RawLine, void, undefined>;
  readonly #close: () => void;
  readonly #ahead: RunLine[] = [];
  /** The state after the newest line that was pulled. */
  #lexer: LexState;
  /** The state after the last line that was taken. */
  #state: LexState;
  #position: LineStart;
  #ended: "no" | "file" | "run" = "no";

  constructor(path: string, from: LineStart, state: LexState, ctx: ReadContext) {
    const stream = openPlain(path, from.offset, ctx.meter);
    this.#close = () => stream.close();
    this.#lines = readLines(stream, from);
    this.#lexer = state;
    this.#state = state;
    this.#position = from;
  }

  get position(): LineStartCursor {
    return { ...this.#position };
  }

  /** The lexer state after the last line that was taken, which becomes part of a cursor. */
  get lexer(): LexState {
    return this.#state;
  }

  next(): RunLine | null {
    const taken = this.#ahead.shift() ?? this.#pull();
    if (!taken) return null;
    this.#state = taken.after;
    this.#position = { line: taken.line, offset: taken.offset + taken.bytes + (taken.terminated ? 1 : 0) };
    return taken;
  }

  /**
   * The k-th line after the last one taken; `open` at the end of a file that may still grow, `over` at the next run.
   */
  peek(k: number): RunLine | "open" | "over" {
    while (this.#ahead.length <= k) {
      const pulled = this.#pull();
      if (!pulled) return this.#ended === "run" ? "over" : "open";
      this.#ahead.push(pulled);
    }
    const line = this.#ahead[k];
    // An incomplete line proves nothing.
    return line === undefined || !line.terminated ? "open" : line;
  }

  close(): void {
    if (this.#ended === "no") {
      this.#ended = "file";
      this.#close();
    }
  }

  #pull(): RunLine | null {
    if (this.#ended !== "no") return null;
    const step = this.#lines.next();
    if (step.done) {
      this.close();
      return null;
    }
    const lexed = lexLine(step.value, this.#lexer);
    if (lexed.kind === "header" && this.#lexer.headed) {
      this.close();
      this.#ended = "run";
      return null;
    }
    const before = this.#lexer;
    this.#lexer = lexed.after;
    return { ...step.value, ...lexed, before };
  }
}
