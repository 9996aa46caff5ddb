import { shifted, slideOf, type Change } from "./diff.ts";

/*
 * A change that only adds or only takes away can often stand in several places and do the same: above or below an equal line. Git
 * takes the place that looks best by how lines are indented and where blank ones are (`xdl_change_compact` with its indent
 * heuristic), and everybody reads its answers; so do we.
 */

/** How a change looks if it begins or ends before a line. */
interface Split {
  endOfFile: boolean;
  /** Of the line itself, of the one before and of the one after, without blank ones; -1: there is none, or it is blank. */
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

/** Of one or all of a file: no more is looked at. */
const MOST_BLANK = 20;
const MOST_SLIDING = 100;
const DEEPEST = 200;
const TAB = 8;

/** Puts every change where git would; `a` and `b` are whole files. */
export function asGitPlaces(found: readonly Change[], a: readonly string[], b: readonly string[]): Change[] {
  const changes = merged(found, a, b);
  for (const [n, change] of changes.entries()) {
    const { up, down } = roomOf(changes, n, a, b);
    if (up + down > 0) changes[n] = shifted(change, best(change, a, b, up, down));
  }
  return changes;
}

/** How far a change can go back and on without meeting another. */
function roomOf(
  changes: readonly Change[],
  n: number,
  a: readonly string[],
  b: readonly string[],
): { up: number; down: number } {
  const [before, change, next] = [changes[n - 1], changes[n], changes[n + 1]];
  if (!change) return { up: 0, down: 0 };
  const up = slideOf(change, a, b, -1, change.a0 - (before?.a1 ?? 0));
  return { up, down: slideOf(change, a, b, 1, (next?.a0 ?? a.length) - change.a1) };
}

/** Two that can be brought together are one. */
function merged(found: readonly Change[], a: readonly string[], b: readonly string[]): Change[] {
  const changes = found.map((change) => ({ ...change }));
  for (let n = 1; n < changes.length;) {
    const [before, change] = [changes[n - 1], changes[n]];
    const gap = before && change ? change.a0 - before.a1 : 0;
    if (!before || !change || kindOf(before) === "both" || kindOf(before) !== kindOf(change)) n++;
    else if (roomOf(changes, n, a, b).up >= gap)
      changes.splice(--n, 2, { ...before, a1: change.a1 - gap, b1: change.b1 - gap });
    else if (roomOf(changes, n - 1, a, b).down >= gap)
      changes.splice(--n, 2, { ...change, a0: before.a0 + gap, b0: before.b0 + gap });
    else n++;
    if (n === 0) n = 1;
  }
  return changes;
}

function kindOf({ a0, a1, b0, b1 }: Change): "adds" | "takes" | "both" {
  return a0 === a1 ? "adds" : b0 === b1 ? "takes" : "both";
}

/** How far on from where it is, or back. */
function best(change: Change, a: readonly string[], b: readonly string[], up: number, down: number): number {
  const { a0, a1, b0, b1 } = change;
  const [text, from, to] = a0 === a1 ? [b, b0, b1] : [a, a0, a1];
  const size = to - from;
  const last = to + down;
  const first = Math.max(to - up, last - size - 1, last - MOST_SLIDING);
  let chosen = last;
  let score: Score | null = null;
  for (let end = first; end <= last; end++) {
    const now = sum(scoreOf(splitAt(text, end)), scoreOf(splitAt(text, end - size)));
    if (score !== null && compare(now, score) > 0) continue;
    score = now;
    chosen = end;
  }
  return chosen - to;
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

/** The weights are git's: what its authors found to look right in much code. */
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
