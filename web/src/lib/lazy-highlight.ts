import type { CodeToken } from "./highlight.ts";

/** Longer texts are not highlighted, in characters. */
const MOST = 30_000;

/** Highlighted lines; null if the text stays plain. The highlighter is loaded on first use. */
export async function highlightLines(code: string, language: string | null): Promise<CodeToken[][] | null> {
  if (language === null || code.length > MOST || code.trim() === "") return null;
  try {
    const { highlight } = await import("./highlight.ts");
    return await highlight(code, language);
  } catch {
    // Plain text is good enough.
    return null;
  }
}

/** Highlighted lines as DOM nodes. The code is only ever inserted as text, never as HTML. */
export function toNodes(lines: readonly CodeToken[][]): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const [i, line] of lines.entries()) {
    if (i > 0) fragment.append("\n");
    for (const { text, kind } of line) {
      if (kind === null) {
        fragment.append(text);
        continue;
      }
      const span = document.createElement("span");
      span.className = `code-${kind}`;
      span.textContent = text;
      fragment.append(span);
    }
  }
  return fragment;
}
