/**
 * What a call printed of a file. Every agent prints otherwise: with line numbers, with marks of a diff, with words of its own around
 * it. So it is read in each of these ways, and only asked whether lines stand in it side by side.
 */
export class Shown {
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
      this.#readings.push(side(lines, "+"));
      this.#readings.push(side(lines, "-"));
    }
  }

  /** Whether lines stand in it, one after the other. */
  holds(run: readonly string[]): boolean {
    return this.#readings.some((lines) => {
      for (let at = lines.indexOf(run[0] ?? ""); at !== -1; at = lines.indexOf(run[0] ?? "", at + 1))
        if (run.every((text, i) => lines[at + i] === text)) return true;
      return false;
    });
  }
}

const NUMBERED = /^ *\d{1,7}(?:\t|→|: |\| ?)(.*)$/;

/** Of a diff what stood there before, or after. */
function side(lines: readonly string[], sign: "+" | "-"): string[] {
  return lines.flatMap((line) => (line.startsWith(sign) || line.startsWith(" ") ? [line.slice(1)] : []));
}

/** Lines in the place of others, with what stands around them; undefined at the ends of the file. */
export interface Hunk {
  prev: string | undefined;
  next: string | undefined;
  removed: readonly string[];
  added: readonly string[];
}

/** Whether it was seen that the place held what was replaced there. */
export function showsBefore(shown: readonly Shown[], { prev, next, removed }: Hunk): boolean {
  const run = [prev, ...removed, next].filter((text) => text !== undefined);
  return run.length > 1 && run.some((text) => text.trim() !== "") && shown.some((one) => one.holds(run));
}

/**
 * Which lines that were put in were seen: with one beside them, and never so in the file as it was before. What tells nothing is
 * seen where both sides of it are.
 */
export function seenLines(shown: readonly Shown[], { prev, next, added }: Hunk, before: readonly string[]): boolean[] {
  const all = [prev, ...added, next];
  const former = new Set(before.slice(1).map((text, i) => `${before[i]}\n${text}`));
  const seen = added.map(() => false);
  for (let i = 0; i + 1 < all.length; i++) {
    const pair = [all[i], all[i + 1]].filter((text) => text !== undefined);
    // A file of one line has nothing beside it.
    if (pair.length < (added.length === 1 && prev === undefined && next === undefined ? 1 : 2)) continue;
    if (!pair.some((text) => /[\p{L}\p{N}]/u.test(text)) || former.has(pair.join("\n"))) continue;
    if (!shown.some((one) => one.holds(pair))) continue;
    if (i > 0) seen[i - 1] = true;
    if (i < added.length) seen[i] = true;
  }
  return filled(seen, added);
}

/** Blank lines and braces between two that were seen were there with them. */
function filled(seen: readonly boolean[], texts: readonly string[]): boolean[] {
  const out = [...seen];
  for (const [i, text] of texts.entries())
    if (!seen[i] && !/[\p{L}\p{N}]/u.test(text)) out[i] = out[i - 1] === true && seen.slice(i + 1).includes(true);
  return out;
}
