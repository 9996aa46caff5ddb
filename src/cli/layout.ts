import { displayWidth, grouped, oneLine, plain, plural } from "./text.ts";

/**
 * How lists that are no tables fit the window: they break between parts or between words. One word alone, a path or an id that
 * is there to be copied, is neither cut nor broken, and the terminal lets it run over.
 */

/** Parts with dots between them, on as many lines as they need. */
export function flow(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const text = oneLine(part, width);
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + 3 + displayWidth(text) <= width)
      lines[lines.length - 1] = `${last} · ${text}`;
    else lines.push(text);
  }
  return lines;
}

/** Text as it was written, line by line; lines that are too long go on below, as far in as they began. */
export function lined(text: string, width: number): string[] {
  return plain(text)
    .split("\n")
    .flatMap((line) => (displayWidth(line) <= width ? [line] : broken(line, width)));
}

function broken(line: string, width: number): string[] {
  const begin = /^\s*/.exec(line)?.[0].slice(0, Math.floor(width / 2)) ?? "";
  // Below the words of an item, not below its mark.
  const indent = /^\s*[·*-] /.test(line) ? `${begin}  ` : begin;
  const lines: string[] = [];
  let current = begin;
  for (const word of line.split(/\s+/).filter((one) => one !== "")) {
    const next = current.trim() === "" ? current + word : `${current} ${word}`;
    if (current.trim() !== "" && displayWidth(next) > width) {
      lines.push(current);
      current = indent + word;
    } else current = next;
  }
  return [...lines, current];
}

/** What is said of a path before the path itself: on one line where they fit, else the path alone below. */
export function beforePath(said: string, path: string, width: number): string[] {
  const indent = /^ */.exec(said)?.[0] ?? "";
  const whole = `${said}  ${plain(path)}`;
  return displayWidth(whole) <= width ? [whole] : [said, `${indent}  ${plain(path)}`];
}

/** What a list ends with: how many there are, how the rest is seen, and what else is to be said of those that are shown. */
export function tally(
  shown: number,
  total: number | null,
  names: string | [one: string, many: string],
  more = "",
): string {
  const [one, many] = typeof names === "string" ? [names, `${names}s`] : names;
  if (shown === total) return `${plural(total, one, many)}${more === "" ? "" : `, ${more}`}`;
  const all = total === null ? `thousands of ${many}` : plural(total, one, many);
  return `${grouped(shown)} of ${all}, --limit 0 for all${more === "" ? "" : `; ${more}`}`;
}
