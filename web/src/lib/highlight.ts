import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { loadLanguage } from "./languages.ts";

/** A piece of a line; `kind` names a colour of the tokens, null for plain ink. */
export interface Coloured {
  text: string;
  kind: string | null;
}

const theme = createCssVariablesTheme({ name: "daybook", variablePrefix: "--code-", fontStyle: false });
let made: Promise<HighlighterCore> | null = null;
const loaded = new Map<string, Promise<void>>();

/** Lines of code in pieces of one colour. Comes when there is something to colour: nothing of it is needed before. */
export async function coloured(code: string, language: string): Promise<Coloured[][]> {
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

/** The theme names variables, not colours: the last word of each is the kind. */
function kindOf(color: string | undefined): string | null {
  return /--code-token-([\w-]+)/.exec(color ?? "")?.[1] ?? null;
}
