import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { loadLanguage } from "./languages.ts";

/** A token of a line of code; `kind` names its CSS class, null for plain text. */
export interface CodeToken {
  text: string;
  kind: string | null;
}

const theme = createCssVariablesTheme({ name: "daybook", variablePrefix: "--code-", fontStyle: false });
let made: Promise<HighlighterCore> | null = null;
const loaded = new Map<string, Promise<void>>();

/** Splits code into lines of tokens. This module is loaded on demand, when there is code to highlight. */
export async function highlight(code: string, language: string): Promise<CodeToken[][]> {
  made ??= createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await made;
  let ready = loaded.get(language);
  if (!ready) {
    ready = (async () => {
      const found = await loadLanguage(language);
      if (found) await highlighter.loadLanguage(found.default);
    })();
    loaded.set(language, ready);
  }
  await ready;
  const lines = highlighter.codeToTokensBase(code, { lang: language, theme: "daybook", tokenizeMaxLineLength: 1000 });
  return lines.map((tokens) => tokens.map(({ content, color }) => ({ text: content, kind: kindOf(color) })));
}

/** The theme uses CSS variables in place of colours; the end of the variable's name is the kind of token. */
function kindOf(color: string | undefined): string | null {
  return /--code-token-([\w-]+)/.exec(color ?? "")?.[1] ?? null;
}
