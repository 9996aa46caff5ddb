import { plainJson } from "../text/inert.ts";
import type { Io } from "./io.ts";
import { withStyles } from "./paint.ts";
import { plain } from "./text.ts";

/**
 * The one door to the terminal. Whatever a command prints passes here, so that a column nobody thought of cannot carry an
 * escape sequence out of a session. JSON for a program stays as it is; on a terminal it says the same in ASCII escapes.
 */
export function gated(io: Io): Pick<Io, "out" | "err" | "json" | "page"> {
  return {
    out: (text) => io.out(withStyles(text, plain)),
    err: (text) => io.err(withStyles(text, plain)),
    page: (text) => (io.page ? io.page(withStyles(text, plain)) : io.out(withStyles(text, plain))),
    json: (text) => io.out(io.outIsTerminal ? plainJson(text) : text),
  };
}
