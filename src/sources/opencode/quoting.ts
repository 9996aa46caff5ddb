/**
 * `opencode run` quotes every argument that contains a space and escapes the quotes inside (`cli/cmd/run.ts`), then
 * appends piped input after a line break. A single quoted argument is shown as it was typed; anything else is left
 * unchanged, because several arguments cannot be distinguished from quotes that are part of the prompt.
 */
export function unquotePrompt(text: string): string | null {
  if (!text.startsWith('"')) return null;
  const close = closingQuote(text);
  if (close < 0) return null;
  const rest = text.slice(close + 1);
  if (rest !== "" && !rest.startsWith("\n")) return null;
  const inner = text.slice(1, close);
  if (!inner.includes(" ")) return null;
  return inner.replaceAll('\\"', '"') + rest;
}

function closingQuote(text: string): number {
  for (let at = text.indexOf('"', 1); at >= 0; at = text.indexOf('"', at + 1)) {
    if (text[at - 1] !== "\\") return at;
    // An argument that itself ends in a backslash looks escaped; the end of the text decides.
    if (at === text.length - 1) return at;
  }
  return -1;
}
