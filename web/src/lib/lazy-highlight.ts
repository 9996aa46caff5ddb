import type { CodeToken } from "./highlight.ts";
import { languageOf, languageOfPath } from "./languages.ts";

/** Longer texts are not highlighted, in characters. */
const MOST = 30_000;

/** What says in which language code is written: a name for it, or the path of its file. */
export type WrittenIn = { language: string } | { path: string };

/** Highlighted lines; null if the text stays plain. The highlighter is loaded on first use. */
export async function highlightLines(code: string, writtenIn: WrittenIn): Promise<CodeToken[][] | null> {
  const language = "path" in writtenIn ? languageOfPath(writtenIn.path) : languageOf(writtenIn.language);
  if (language === null || code.length > MOST || code.trim() === "") return null;
  try {
    const { highlight } = await import("./highlight.ts");
    return await highlight(code, language);
  } catch {
    // Plain text is good enough.
    return null;
  }
}
