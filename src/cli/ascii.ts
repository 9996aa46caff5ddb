import type { Io } from "./io.ts";

/** The signs Daybook writes itself, each as one that a terminal without Unicode shows; as wide, so that tables stay straight. */
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
 * Whether the locale is one that has no Unicode: `C`, `POSIX`, or one that names another encoding. Where nothing is said there is
 * nothing to go by, and nearly every terminal has it.
 */
export function isAsciiOnly(env: Io["env"]): boolean {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((value) => (value ?? "") !== "") ?? "";
  return /^(?:C|POSIX)$/i.test(locale) || (/\./.test(locale) && !/\.utf-?8/i.test(locale));
}

export function inAscii(text: string): string {
  return text.replace(ANY, (sign) => SIGNS[sign] ?? sign);
}
