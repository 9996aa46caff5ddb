import type { Io } from "./io.ts";

type Style = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";
export type Paint = Readonly<Record<Style, (text: string) => string>>;

/** Colour only on terminals, and never when asked not to. */
export function paints(io: Io, wanted: boolean): Paint {
  const refused = io.env["NO_COLOR"] !== undefined && io.env["NO_COLOR"] !== "";
  const isColoured = wanted && io.outIsTerminal && !refused && io.env["TERM"] !== "dumb";
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

/** What is styled within ends its own style, and by that this one: it is begun again there. */
function styled(begin: number, end: number): (text: string) => string {
  const [on, off] = [`\u001b[${begin}m`, `\u001b[${end}m`];
  return (text) => `${on}${text.replaceAll(off, off + on)}${off}`;
}
