import type { Io } from "./io.ts";

/**
 * ASCII replacements for the symbols Daybook prints, for terminals without Unicode. Each has the same width, so
 * tables stay aligned.
 */
const SIGNS: Readonly<Record<string, string>> = {
  "✓": "+",
  "✗": "x",
  "■": "#",
  "…": "~",
  "·": "-",
  "•": "*",
  "–": "-",
  "—": "-",
  "−": "-",
  "×": "x",
  "±": "~",
  "⊘": "-",
  "→": ">",
  "←": "<",
  "↑": "^",
  "↓": "v",
  "↳": ">",
  "└": "`",
  "├": "|",
  "│": "|",
  "─": "-",
  "▲": "!",
  "▸": ">",
  "★": "*",
  "✎": "n",
  "●": "*",
  "○": "o",
  "█": "#",
  "░": ".",
  "“": '"',
  "”": '"',
  "‘": "'",
  "’": "'",
  "␛": "^",
};
const ANY = new RegExp(`[${Object.keys(SIGNS).join("")}]`, "g");

/**
 * Whether the locale has no Unicode: `C`, `POSIX`, or one that names another encoding. An unset locale counts as
 * Unicode, because nearly every terminal supports it.
 */
export function isAsciiOnly(env: Io["env"]): boolean {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((value) => (value ?? "") !== "") ?? "";
  return /^(?:C|POSIX)$/i.test(locale) || (/\./.test(locale) && !/\.utf-?8/i.test(locale));
}

export function inAscii(text: string): string {
  return text.replace(ANY, (sign) => SIGNS[sign] ?? sign);
}
