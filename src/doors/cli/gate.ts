import { inAscii, isAsciiOnly } from "./ascii.ts";
import { plainJson } from "../../base/text/inert.ts";
import type { Io } from "./io.ts";
import type { Screen } from "./screen.ts";
import { withStyles } from "./paint.ts";
import { plain } from "./text.ts";

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
