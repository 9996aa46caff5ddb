import type { Snippet } from "../../answers/daybook.ts";
import type { Paint } from "./paint.ts";
import { wordSpans } from "./text.ts";

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
