import type { LanguageRegistration } from "shiki/core";

type Loaded = Promise<{ default: LanguageRegistration[] }>;

/** Languages that are highlighted, each loaded on first use. The TSX grammar also serves TypeScript and JavaScript. */
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
  ts: "tsx",
  typescript: "tsx",
  js: "tsx",
  javascript: "tsx",
  jsx: "tsx",
  mjs: "tsx",
  cjs: "tsx",
  mts: "tsx",
  sh: "shellscript",
  bash: "shellscript",
  shell: "shellscript",
  zsh: "shellscript",
  console: "shellscript",
  py: "python",
  rs: "rust",
  golang: "go",
  yml: "yaml",
  jsonc: "json",
  jsonl: "json",
  h: "c",
  scss: "css",
};

/** The grammar for the language name of a code block or the extension of a file; null if there is none. */
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
