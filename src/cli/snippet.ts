import type { Snippet } from "../daybook.ts";
import type { Paint } from "./paint.ts";
import { words } from "./text.ts";

/** Word by word, each with what was found in it, on as many lines as they need. The gate makes them harmless. */
export function marked({ snippet, matches }: Snippet, paint: Paint, width: number): string[] {
  const lines: { text: string; width: number }[] = [];
  for (const { from, to, width: wide } of words(snippet)) {
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
