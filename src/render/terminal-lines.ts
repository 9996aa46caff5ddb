import { displayWidth, oneLine, wrap } from "../base/text/inert.ts";
import type { Span } from "../answers/report/window.ts";
import { spanNotes, spanTitle } from "./phrases.ts";

type Colour = (text: string) => string;

/** The colours of a terminal; each function is the identity when colours are off. */
export interface Paint {
  bold: Colour;
  dim: Colour;
  red: Colour;
  green: Colour;
  yellow: Colour;
  blue: Colour;
  cyan: Colour;
  magenta: Colour;
}

/** Lines for a terminal, none wider than the window. */
export class TerminalLines {
  readonly paint: Paint;
  readonly width: number;
  readonly #lines: string[] = [];

  constructor(paint: Paint, columns: number) {
    this.paint = paint;
    this.width = Math.max(40, columns);
  }

  get count(): number {
    return this.#lines.length;
  }

  text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  push(...lines: string[]): void {
    this.#lines.push(...lines);
  }

  /** The title line: the days, their time zone and status. */
  title(span: Span): void {
    const notes = spanNotes(span).join(" · ");
    const title = spanTitle(span);
    const gap = this.width - displayWidth(title) - displayWidth(notes);
    const tone = span.status === "partial" ? this.paint.yellow : this.paint.dim;
    if (gap >= 2) this.push(this.paint.bold(title) + " ".repeat(gap) + tone(notes));
    else this.push(this.paint.bold(oneLine(title, this.width)), tone(oneLine(notes, this.width)));
  }

  head(text: string, note = ""): void {
    // The name takes precedence over the note.
    const name = oneLine(text, this.width);
    const room = this.width - displayWidth(name) - 2;
    const rest = room < 8 ? "" : oneLine(note, room);
    this.push("", this.paint.bold(name) + (rest === "" ? "" : `  ${this.paint.dim(rest)}`));
  }

  /** Parts joined by dots, wrapped between parts. */
  flow(parts: readonly string[], indent: number, colour: Colour): void {
    const room = this.width - indent;
    let line = "";
    const flush = (): void => {
      if (line !== "") this.push(" ".repeat(indent) + colour(line));
      line = "";
    };
    for (const part of parts.map((text) => oneLine(text, room))) {
      if (line !== "" && displayWidth(line) + 3 + displayWidth(part) > room) flush();
      line = line === "" ? part : `${line} · ${part}`;
    }
    flush();
  }

  /** One line: `first` may be cut, `parts` are shown as far as they fit. */
  oneFlow(first: string, parts: readonly string[], indent: number): void {
    const room = this.width - indent;
    const fitting: string[] = [];
    const least = Math.min(displayWidth(first), 24);
    let used = 0;
    for (const part of parts) {
      const wide = displayWidth(part) + 3;
      if (used + wide > room - least) break;
      used += wide;
      fitting.push(part);
    }
    this.push(
      " ".repeat(indent) + this.paint.dim([oneLine(first, room - used), ...fitting].filter(Boolean).join(" · ")),
    );
  }

  item(mark: string, text: string, note: string): void {
    const [first = "", ...rest] = wrap(text, this.width - 4, 2);
    this.push(`  ${this.paint.yellow(mark)} ${first}`);
    for (const line of rest) this.push(`    ${line}`);
    this.push(`    ${this.paint.dim(oneLine(note, this.width - 4))}`);
  }
}
