import type { Io } from "./io.ts";

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
export function withStyles(text: string, inert: (piece: string) => string): string {
  if (!text.includes(KEY)) return inert(text);
  return text
    .split(MARK)
    .map((piece, i) => (i % 2 === 0 ? inert(piece) : sequenceOf(piece.charCodeAt(0) - 0x4e00)))
    .join("");
}

function sequenceOf(code: number): string {
  return code === 255 ? "\r\u001b[2K" : `\u001b[${code}m`;
}
