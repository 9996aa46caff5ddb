import type { DiffLimits } from "./edit-diffs.ts";

/** How much of each turn a document shows: less on a busy day, so that the file stays small. */
export interface TextLimits {
  /** Characters of a turn's texts. */
  chars: number;
  /** Lines of each list. */
  lines: number;
  /** Characters of a result. */
  result: number;
  diff: DiffLimits;
}

/** Characters of all turns' texts together. */
const BUDGET = 80_000;

export function limitsFor(turns: number): TextLimits {
  const chars = Math.max(280, Math.min(4000, Math.floor(BUDGET / Math.max(1, turns))));
  const lines = chars < 600 ? 1 : chars < 1500 ? 4 : 12;
  const diff = lines === 1 ? { lines: 2, wide: 36 } : { lines: lines * 4, wide: 160 };
  return { chars, lines, result: chars < 600 ? 180 : 300, diff };
}

/** On a busy day diffs take their space from the texts beside them. */
export function besideEdits(room: TextLimits): TextLimits {
  return room.lines === 1 ? { ...room, chars: room.chars - BESIDE } : room;
}

const BESIDE = 152;

/** Maximum number of lines shown of one answer. */
const MOST_LINES = 60;

/** The beginning of an answer, including the blank lines that separate paragraphs. */
export function shortened(text: string, chars: number): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const short = lines.slice(0, MOST_LINES).join("\n");
  const isCut = lines.length > MOST_LINES || short.length > chars;
  if (!isCut) return short.trim();
  const start = short.slice(0, chars).replace(/[\ud800-\udbff]$/, "");
  return `${start.trim()} …`;
}
