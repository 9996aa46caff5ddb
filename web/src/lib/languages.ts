import type { LanguageRegistration } from "shiki/core";

type Loaded = Promise<{ default: LanguageRegistration[] }>;

/** Languages that are coloured, each a part of its own that comes when it is met. TypeScript's rules are those of JavaScript as well. */
const LANGUAGES: Readonly<Record<string, () => Loaded>> = {
  c: () => import("@shikijs/langs/c"),
  css: () => import("@shikijs/langs/css"),
  go: () => import("@shikijs/langs/go"),
  java: () => import("@shikijs/langs/java"),
  json: () => import("@shikijs/langs/json"),
  python: () => import("@shikijs/langs/python"),
  rust: () => import("@shikijs/langs/rust"),
  shellscript: () => import("@shikijs/langs/shellscript"),
  sql: () => import("@shikijs/langs/sql"),
  toml: () => import("@shikijs/langs/toml"),
  tsx: () => import("@shikijs/langs/tsx"),
  yaml: () => import("@shikijs/langs/yaml"),
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ ts: "tsx", typescript: "tsx", js: "tsx", javascript: "tsx", jsx: "tsx", mjs: "tsx", cjs: "tsx", mts: "tsx" },
  ...{ sh: "shellscript", bash: "shellscript", shell: "shellscript", zsh: "shellscript", console: "shellscript" },
  ...{
    py: "python",

    rs: "rust",
    golang: "go",
    yml: "yaml",
    jsonc: "json",
    jsonl: "json",
    h: "c",
    scss: "css",
  },
};

/** The name under which a language is coloured, by what a block or a file is called; null for others. */
export function languageOf(name: string): string | null {
  const small = name.toLowerCase();
  const known = OTHER_NAMES[small] ?? small;
  return known in LANGUAGES ? known : null;
}

export function languageOfPath(path: string): string | null {
  const ending = /\.([A-Za-z]+)$/.exec(path)?.[1];
  return ending === undefined ? null : languageOf(ending);
}

export function loadLanguage(name: string): Loaded | null {
  return LANGUAGES[name]?.() ?? null;
}
