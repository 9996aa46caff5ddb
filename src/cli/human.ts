import { isAgentShell } from "../daybook.ts";
import { DaybookError } from "../errors.ts";
import { WRITERS, type Writer } from "../teaching/preferences.ts";
import type { State } from "../teaching/state.ts";
import type { Io } from "./io.ts";
import { wrongUse } from "./unknown.ts";

/**
 * Asks whoever types at a terminal. What comes through a pipe, or from a shell that an agent runs, was not typed by a human: that is
 * refused, not answered with no.
 */
async function asHuman(io: Io, question: string): Promise<boolean> {
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

/** Whose word a caller says it passes on; null where it says nothing. */
export function writerOf(given: string | undefined): Writer | null {
  if (given === undefined) return null;
  const writer = WRITERS.find((one) => one === given);
  if (writer) return writer;
  throw wrongUse(`${given} is not the person whose preference it is`, `only ${WRITERS.join(" and ")} are taken`);
}

/**
 * gstack's own commands say whose word they pass on, where gstack is in use; everybody else sits at a terminal and types. Null where
 * the answer was no.
 */
export async function allowedWriter(
  io: Io,
  state: State,
  writer: Writer | null,
  question: string,
): Promise<Writer | null> {
  if (writer !== null && state.owner === "gstack") return writer;
  return (await asHuman(io, question)) ? "inline-user" : null;
}
