import { inAscii, isAsciiOnly } from "./ascii.ts";
import { plainJson } from "../text/inert.ts";
import type { Io } from "./io.ts";
import type { Screen } from "./screen.ts";
import { withStyles } from "./paint.ts";
import { plain } from "./text.ts";

/**
 * The one door to the terminal. Whatever a command prints passes here, so that a column nobody thought of cannot carry an
 * escape sequence out of a session. JSON for a program stays as it is; on a terminal it says the same in ASCII escapes. Documents
 * are the same in every locale; what is only to be looked at is written in signs that the terminal has.
 */
export function gated(io: Io): Pick<Io, "out" | "err" | "json" | "page" | "document" | "screen"> {
  const readable = isAsciiOnly(io.env) ? (text: string) => inAscii(plain(text)) : plain;
  const { screen } = io;
  return {
    ...(screen ? { screen: () => gatedScreen(screen(), readable) } : {}),
    out: (text) => io.out(withStyles(text, readable)),
    err: (text) => io.err(withStyles(text, readable)),
    page: (text) => (io.page ? io.page(withStyles(text, readable)) : io.out(withStyles(text, readable))),
    document: (text) => io.out(withStyles(text, plain)),
    json: (text) => io.out(io.outIsTerminal ? plainJson(text) : text),
  };
}

function gatedScreen(screen: Screen, readable: (text: string) => string): Screen {
  return { ...screen, draw: (text) => screen.draw(withStyles(text, readable)) };
}
