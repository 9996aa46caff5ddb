import { changesIn, markedChanges, type Change } from "./diff.ts";

/*
 * A pure insertion or deletion can often be placed above or below an equal line with the same effect. Git takes the
 * place that looks best by indentation and blank lines (`xdl_change_compact` with its indent heuristic). This code does
 * the same, because people compare with git's output.
 */

/** The surroundings of a line before which a change begins or ends. */
interface Split {
  endOfFile: boolean;
  /**
   * Indentation of the line itself and of the nearest lines before and after that are not blank; -1 when there is none,
   * or the line itself is blank.
   */
  indent: number;
  preIndent: number;
  postIndent: number;
  preBlank: number;
  postBlank: number;
}

interface Score {
  indent: number;
  penalty: number;
}

/** Limits of git's heuristic. */
const MOST_BLANK = 20;
const MOST_SLIDING = 100;
const DEEPEST = 200;
const TAB = 8;

/** The changes, in order, each placed where git places it; `a` and `b` are whole files. */
export function changesOf(a: readonly string[], b: readonly string[]): Change[] {
  const marked = markedChanges(a, b);
  compact(a, marked.a, marked.b);
  compact(b, marked.b, marked.a);
  return changesIn(marked);
}

/** A run of marked lines, `start` to `end`, or the empty place between two lines that are not marked. */
class Group {
  start = 0;
  end = 0;
  readonly #marks: boolean[];

  constructor(marks: boolean[]) {
    this.#marks = marks;
    this.#grow();
  }

  get isEmpty(): boolean {
    return this.start === this.end;
  }

  #grow(): void {
    while (this.#marks[this.end] === true) this.end++;
  }

  #growBack(): void {
    while (this.#marks[this.start - 1] === true) this.start--;
  }

  next(): boolean {
    if (this.end >= this.#marks.length) return false;
    this.start = this.end = this.end + 1;
    this.#grow();
    return true;
  }

  previous(): void {
    this.start = this.end = Math.max(0, this.start - 1);
    this.#growBack();
  }

  /** Shifts the run up by one line if that has the same effect; it may merge with another run. */
  up(text: readonly string[]): boolean {
    if (this.start === 0 || text[this.start - 1] !== text[this.end - 1]) return false;
    this.#marks[--this.start] = true;
    this.#marks[--this.end] = false;
    this.#growBack();
    return true;
  }

  down(text: readonly string[]): boolean {
    if (this.end >= text.length || text[this.start] !== text[this.end]) return false;
    this.#marks[this.start++] = false;
    this.#marks[this.end++] = true;
    this.#grow();
    return true;
  }
}

/**
 * Moves every run of marked lines of one text to where it looks best: next to a change of the other text, or else by
 * indentation.
 */
function compact(text: readonly string[], marks: boolean[], others: boolean[]): void {
  const group = new Group(marks);
  const other = new Group(others);
  do if (!group.isEmpty) slide(text, group, other);
  while (group.next() && other.next());
}

function slide(text: readonly string[], group: Group, other: Group): void {
  const back = (): void => {
    group.up(text);
    other.previous();
  };
  let [size, first, beside] = [0, 0, -1];
  do {
    size = group.end - group.start;
    while (group.up(text)) other.previous();
    first = group.end;
    beside = other.isEmpty ? -1 : group.end;
    while (group.down(text)) {
      other.next();
      if (!other.isEmpty) beside = group.end;
    }
  } while (size !== group.end - group.start);
  if (group.end === first) return;
  if (beside !== -1) {
    while (other.isEmpty) back();
    return;
  }
  const chosen = best(text, size, first, group.end);
  while (group.end > chosen) back();
}

/** The end at which the run looks best. */
function best(text: readonly string[], size: number, first: number, last: number): number {
  let chosen = last;
  let score: Score | null = null;
  for (let end = Math.max(first, last - size - 1, last - MOST_SLIDING); end <= last; end++) {
    const now = sum(scoreOf(splitAt(text, end)), scoreOf(splitAt(text, end - size)));
    if (score !== null && compare(now, score) > 0) continue;
    score = now;
    chosen = end;
  }
  return chosen;
}

function splitAt(text: readonly string[], at: number): Split {
  const line = text[at];
  let [preBlank, preIndent] = [0, -1];
  for (let i = at - 1; i >= 0; i--) {
    preIndent = indentOf(text[i] ?? "");
    if (preIndent !== -1) break;
    if (++preBlank === MOST_BLANK) {
      preIndent = 0;
      break;
    }
  }
  let [postBlank, postIndent] = [0, -1];
  for (let i = at + 1; i < text.length; i++) {
    postIndent = indentOf(text[i] ?? "");
    if (postIndent !== -1) break;
    if (++postBlank === MOST_BLANK) {
      postIndent = 0;
      break;
    }
  }
  const indent = line === undefined ? -1 : indentOf(line);
  return { endOfFile: line === undefined, indent, preIndent, postIndent, preBlank, postBlank };
}

function indentOf(line: string): number {
  let indent = 0;
  for (const c of line) {
    if (c === " ") indent++;
    else if (c === "\t") indent += TAB - (indent % TAB);
    else if (!/\s/.test(c)) return indent;
    if (indent >= DEEPEST) return DEEPEST;
  }
  return -1;
}

/** Git's weights, which its authors found to look right in much code. */
function scoreOf({ endOfFile, indent: own, preIndent, postIndent, preBlank, postBlank: behind }: Split): Score {
  const postBlank = own === -1 ? 1 + behind : 0;
  const blanks = preBlank + postBlank;
  const indent = own === -1 ? postIndent : own;
  let penalty = blanks * -30 + postBlank * 6;
  if (preIndent === -1 && preBlank === 0) penalty += 1;
  if (endOfFile) penalty += 21;
  if (indent !== -1 && preIndent !== -1 && indent !== preIndent) {
    const isBlank = blanks !== 0;
    if (indent > preIndent) penalty += isBlank ? 10 : -4;
    else if (postIndent !== -1 && postIndent > indent) penalty += isBlank ? 17 : 24;
    else penalty += isBlank ? 17 : 23;
  }
  return { indent, penalty };
}

function sum(a: Score, b: Score): Score {
  return { indent: a.indent + b.indent, penalty: a.penalty + b.penalty };
}

function compare(a: Score, b: Score): number {
  return 60 * Math.sign(a.indent - b.indent) + a.penalty - b.penalty;
}
