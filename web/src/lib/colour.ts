import type { Coloured } from "./highlight.ts";

/** Longer texts are read without colours, in characters. */
const MOST = 30_000;

/** Lines with their colours; null where they stay as they are. What colours is loaded by the first who asks. */
export async function colours(code: string, language: string | null): Promise<Coloured[][] | null> {
  if (language === null || code.length > MOST || code.trim() === "") return null;
  try {
    const { coloured } = await import("./highlight.ts");
    return await coloured(code, language);
  } catch {
    // Without colours it is read as well.
    return null;
  }
}

/** Pieces of lines as nodes: texts are only ever texts. */
export function nodesOf(lines: readonly Coloured[][]): DocumentFragment {
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
