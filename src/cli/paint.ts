import type { Io } from "./io.ts";

type Style = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";
export type Paint = Readonly<Record<Style, (text: string) => string>>;

/** Colour only on terminals that have it, and never when asked not to. */
export function paints(io: Io, wanted: boolean): Paint {
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

/** `FORCE_COLOR` is about this program alone and wins over `NO_COLOR`, as in Node itself; `0` and `false` in it mean none. */
function hasColour({ env, outIsTerminal }: Io): boolean {
  const forced = env["FORCE_COLOR"] ?? "";
  if (forced !== "") return forced !== "0" && forced !== "false";
  return outIsTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

/** What is styled within ends its own style, and by that this one: it is begun again there. */
function styled(begin: number, end: number): (text: string) => string {
  const [on, off] = [markOf(begin), markOf(end)];
  return (text) => `${on}${text.replaceAll(off, off + on)}${off}`;
}

/**
 * Styles travel to the gate as marks that no session can write, because nobody knows them before the program runs: an escape
 * sequence that reaches the gate is somebody else's.
 */
const KEY = Array.from({ length: 4 }, () => String.fromCharCode(0xe000 + Math.floor(Math.random() * 0x1900))).join("");
const MARK = new RegExp(`\ufdd0${KEY}([\\u4e00-\\u4eff])`, "g");

function markOf(code: number): string {
  return `\ufdd0${KEY}${String.fromCharCode(0x4e00 + code)}`;
}

/** Goes back to the beginning of the line and empties it. */
export const ERASE_LINE: string = markOf(255);

/** Text without marks, piece by piece as it was between them, put together with what the marks stand for. */
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
