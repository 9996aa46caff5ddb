import { plain, plainJson } from "../../base/text/inert.ts";
import type { Io } from "./io.ts";
import type { Screen } from "./screen.ts";

type Style = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";
export type Paint = Readonly<Record<Style, (text: string) => string>>;

/** Colour only on terminals that support it, and never if it is switched off. */
export function paintFor(io: Io, wanted: boolean): Paint {
  const isColoured = wanted && hasColour(io);
  const style = (begin: number, end: number): ((text: string) => string) => (isColoured ? styled(begin, end) : String);
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    blue: style(34, 39),
    magenta: style(35, 39),
    cyan: style(36, 39),
  };
}

/** `FORCE_COLOR` wins over `NO_COLOR`, as in Node itself; the values `0` and `false` mean no colour. */
function hasColour({ env, outIsTerminal }: Io): boolean {
  const forced = env["FORCE_COLOR"] ?? "";
  if (forced !== "") return forced !== "0" && forced !== "false";
  return outIsTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

/** A nested style resets the outer one at its end, so the outer style is started again there. */
function styled(begin: number, end: number): (text: string) => string {
  const [on, off] = [markOf(begin), markOf(end)];
  return (text) => `${on}${text.replaceAll(off, off + on)}${off}`;
}

/**
 * Styles are passed to the gate as marks with a random key. No session text can contain them, because the key is made
 * when the program starts; so any escape sequence that reaches the gate comes from a session.
 */
const KEY = Array.from({ length: 4 }, () => String.fromCharCode(0xe000 + Math.floor(Math.random() * 0x1900))).join("");
const MARK = new RegExp(`\ufdd0${KEY}([\\u4e00-\\u4eff])`, "g");

function markOf(code: number): string {
  return `\ufdd0${KEY}${String.fromCharCode(0x4e00 + code)}`;
}

/** Returns to the start of the line and clears it. */
export const ERASE_LINE: string = markOf(255);

/** Replaces the marks by their escape sequences, and passes all text between them through `inert`. */
function withStyles(text: string, inert: (piece: string) => string): string {
  if (!text.includes(KEY)) return inert(text);
  return text
    .split(MARK)
    .map((piece, i) => (i % 2 === 0 ? inert(piece) : sequenceOf(piece.charCodeAt(0) - 0x4e00)))
    .join("");
}

function sequenceOf(code: number): string {
  return code === 255 ? "\r\u001b[2K" : `\u001b[${code}m`;
}

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

function inAscii(text: string): string {
  return text.replace(ANY, (sign) => SIGNS[sign] ?? sign);
}

/**
 * All output of a command passes through here, so that no text of a session can carry an escape sequence to the
 * terminal, whichever column prints it. JSON for a program stays as it is; on a terminal it is printed with ASCII
 * escapes. Documents are the same in every locale; text for people uses only symbols the terminal can show.
 */
export function gateOutput(io: Io): Pick<Io, "out" | "err" | "json" | "page" | "document" | "screen"> {
  const readable = isAsciiOnly(io.env) ? (text: string) => inAscii(plain(text)) : plain;
  const { screen } = io;
  return {
    ...(screen ? { screen: () => gateScreen(screen(), readable) } : {}),
    out: (text) => io.out(withStyles(text, readable)),
    err: (text) => io.err(withStyles(text, readable)),
    page: (text) => (io.page ? io.page(withStyles(text, readable)) : io.out(withStyles(text, readable))),
    document: (text) => io.out(withStyles(text, plain)),
    json: (text) => io.out(io.outIsTerminal ? plainJson(text) : text),
  };
}

function gateScreen(screen: Screen, readable: (text: string) => string): Screen {
  return { ...screen, draw: (text) => screen.draw(withStyles(text, readable)) };
}
