import { isAgentShell } from "../daybook.ts";
import { DaybookError } from "../errors.ts";
import type { Io } from "./io.ts";

/**
 * Asks whoever types at a terminal. What comes through a pipe, or from a shell that an agent runs, was not typed by a human: that is
 * refused, not answered with no.
 */
export async function asHuman(io: Io, question: string): Promise<boolean> {
  if (isAgentShell(io.env)) throw nobody("this shell is run by an agent");
  if (!io.ask || io.inIsTerminal !== true || !io.outIsTerminal) throw nobody("there is no terminal");
  const answer = await io.ask(`${question} Type yes: `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  io.err("daybook: nothing was written\n");
  return false;
}

function nobody(why: string): DaybookError {
  return new DaybookError(`only you can do this, by hand: ${why}`, {
    ...{ code: "usage", op: "ask the user", hint: "nothing was written; run it in a terminal of your own" },
  });
}
