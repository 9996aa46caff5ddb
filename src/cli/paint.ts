import pc from "picocolors";
import type { Io } from "./io.ts";

export type Paint = ReturnType<typeof pc.createColors>;

/** Colour only on terminals, and never when asked not to. */
export function paints(io: Io, wanted: boolean): Paint {
  const refused = io.env["NO_COLOR"] !== undefined && io.env["NO_COLOR"] !== "";
  return pc.createColors(wanted && io.outIsTerminal && !refused && io.env["TERM"] !== "dumb");
}
