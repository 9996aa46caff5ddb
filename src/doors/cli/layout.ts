import { displayWidth, oneLine, plain, wordSpans } from "../../base/text/inert.ts";
import { groupDigits, plural } from "../../base/text/units.ts";
import type { Snippet } from "../../answers/daybook.ts";
import type { Paint } from "./output.ts";

/** Shown in place of values a store does not hold. */
export const NOT_PUSHED = "– (not pushed)";

/** `2026-05-12 14:03` → `05-12 14:03`. */
export function withoutYear(clock: string): string {
  return clock.slice(5);
}

/**
 * How text outside tables fits the window: it breaks between parts or between words. A single word, such as a path or
 * an id meant to be copied, is neither cut nor broken; the terminal lets it run over.
 */

/** Joins the parts with dots, on as many lines as needed. */
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

/** Keeps the line breaks of the text; lines that are too long are wrapped with the same indentation. */
export function wrapLines(text: string, width: number): string[] {
  return plain(text)
    .split("\n")
    .flatMap((line) => (displayWidth(line) <= width ? [line] : wrapLine(line, width)));
}

function wrapLine(line: string, width: number): string[] {
  const begin = /^\s*/.exec(line)?.[0].slice(0, Math.floor(width / 2)) ?? "";
  // Wrapped lines of a list item are aligned with its text, not with its bullet.
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

/** A text followed by a path: on one line if they fit, otherwise the path on the next line. */
export function beforePath(said: string, path: string, width: number): string[] {
  const indent = /^ */.exec(said)?.[0] ?? "";
  const whole = `${said}  ${plain(path)}`;
  return displayWidth(whole) <= width ? [whole] : [said, `${indent}  ${plain(path)}`];
}

/**
 * The last line of a list: how many entries there are, how to see the rest, and an optional note about those shown.
 */
export function tally(
  shown: number,
  total: number | null,
  names: string | [one: string, many: string],
  more = "",
): string {
  const [one, many] = typeof names === "string" ? [names, `${names}s`] : names;
  if (shown === total) return `${plural(total, one, many)}${more === "" ? "" : `, ${more}`}`;
  const all = total === null ? `thousands of ${many}` : plural(total, one, many);
  return `${groupDigits(shown)} of ${all}, --limit 0 for all${more === "" ? "" : `; ${more}`}`;
}

/** Wraps a snippet word by word, with the matches highlighted. The gate strips control characters. */
export function highlightSnippet({ snippet, matches }: Snippet, paint: Paint, width: number): string[] {
  const lines: { text: string; width: number }[] = [];
  for (const { from, to, width: wide } of wordSpans(snippet)) {
    let text = "";
    let at = from;
    for (const [start, end] of matches) {
      if (end <= at || start >= to) continue;
      text += snippet.slice(at, Math.max(at, start));
      text += paint.bold(paint.yellow(snippet.slice(Math.max(at, start), Math.min(to, end))));
      at = Math.min(to, end);
    }
    text += snippet.slice(at, to);
    const last = lines.at(-1);
    if (last && last.width + 1 + wide <= width) {
      last.text += ` ${text}`;
      last.width += 1 + wide;
    } else lines.push({ text, width: wide });
  }
  return lines.map(({ text }) => text);
}
