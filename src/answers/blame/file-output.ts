/**
 * What a call printed of a file. Agents print differently: with line numbers, as a diff, with words of their own around
 * it. The output is read in each of these ways, only to tell whether lines are adjacent in it.
 */
export class FileOutput {
  readonly time: number;
  readonly #readings: string[][];

  constructor(text: string, time: number) {
    this.time = time;
    const lines = text.replaceAll("\r\n", "\n").split("\n");
    this.#readings = [lines];
    const numbered = lines.map((line) => NUMBERED.exec(line)?.[1]);
    if (numbered.some((line) => line !== undefined))
      this.#readings.push(numbered.map((line, i) => line ?? lines[i] ?? ""));
    if (lines.some((line) => line.startsWith("@@ -"))) {
      this.#readings.push(diffSide(lines, "+"));
      this.#readings.push(diffSide(lines, "-"));
    }
  }

  /** Whether it contains these lines in a row. */
  holds(run: readonly string[]): boolean {
    return this.#readings.some((lines) => {
      for (let at = lines.indexOf(run[0] ?? ""); at !== -1; at = lines.indexOf(run[0] ?? "", at + 1))
        if (run.every((text, i) => lines[at + i] === text)) return true;
      return false;
    });
  }
}

const NUMBERED = /^ *\d{1,7}(?:\t|→|: |\| ?)(.*)$/;

/** One side of a diff: the lines before or after. */
function diffSide(lines: readonly string[], sign: "+" | "-"): string[] {
  return lines.flatMap((line) => (line.startsWith(sign) || line.startsWith(" ") ? [line.slice(1)] : []));
}

/** Lines that replace others, with their neighbours; undefined at the ends of the file. */
export interface Hunk {
  prev: string | undefined;
  next: string | undefined;
  removed: readonly string[];
  added: readonly string[];
}

/** Whether an output shows the place as it was before the change. */
export function showPlaceBefore(shown: readonly FileOutput[], { prev, next, removed }: Hunk): boolean {
  const run = [prev, ...removed, next].filter((text) => text !== undefined);
  return run.length > 1 && run.some((text) => text.trim() !== "") && shown.some((one) => one.holds(run));
}

/**
 * Which added lines were seen: together with a neighbour, in a pair that was not in the file before. Blank lines and
 * braces count as seen when both sides of them do.
 */
export function seenLines(
  shown: readonly FileOutput[],
  { prev, next, added }: Hunk,
  before: readonly string[],
): boolean[] {
  const all = [prev, ...added, next];
  const former = new Set(before.slice(1).map((text, i) => `${before[i]}\n${text}`));
  const seen = added.map(() => false);
  for (let i = 0; i + 1 < all.length; i++) {
    const pair = [all[i], all[i + 1]].filter((text) => text !== undefined);
    // The line of a one-line file has no neighbour.
    if (pair.length < (added.length === 1 && prev === undefined && next === undefined ? 1 : 2)) continue;
    if (!pair.some((text) => /[\p{L}\p{N}]/u.test(text)) || former.has(pair.join("\n"))) continue;
    if (!shown.some((one) => one.holds(pair))) continue;
    if (i > 0) seen[i - 1] = true;
    if (i < added.length) seen[i] = true;
  }
  return fillGaps(seen, added);
}

/** Blank lines and braces between two seen lines were seen too. */
function fillGaps(seen: readonly boolean[], texts: readonly string[]): boolean[] {
  const out = [...seen];
  for (const [i, text] of texts.entries())
    if (!seen[i] && !/[\p{L}\p{N}]/u.test(text)) out[i] = out[i - 1] === true && seen.slice(i + 1).includes(true);
  return out;
}
