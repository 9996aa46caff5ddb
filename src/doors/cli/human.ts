import { isAgentShell } from "../../answers/daybook.ts";
import { DaybookError } from "../../base/errors.ts";
import { WRITERS, type Writer } from "../../teach/preferences.ts";
import type { Io } from "./io.ts";
import { usageError } from "./usage-errors.ts";

/**
 * Asks the person at the terminal. Input from a pipe, or from a shell that an agent runs, was not typed by a human:
 * then this throws instead of answering no. The programs that started this one are asked too, because a shell can drop
 * its own variables.
 */
async function confirmByHuman(io: Io, question: string): Promise<boolean> {
  if ([io.env, ...(io.ancestors?.() ?? [])].some(isAgentShell)) throw needsHuman("an agent runs this shell");
  if (!io.ask || io.inIsTerminal !== true || !io.outIsTerminal || io.controlsTerminal === false)
    throw needsHuman("there is no terminal");
  const answer = await io.ask(`${question} Type yes: `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  io.err("daybook: nothing was written\n");
  return false;
}

function needsHuman(why: string): DaybookError {
  return new DaybookError(`only a person at a terminal can do this: ${why}`, {
    code: "usage",
    op: "ask the user",
    hint: "nothing was written; run it in a terminal of your own",
  });
}

/** Through which of gstack's commands the person says it, for the record; null if none is named. */
export function writerOf(given: string | undefined): Writer | null {
  if (given === undefined) return null;
  const writer = WRITERS.find((one) => one === given);
  if (writer) return writer;
  throw usageError(`${given} may not set preferences`, `only ${WRITERS.join(" and ")} may`);
}

/** The writer to record, once a person has confirmed the change at a terminal; null if the answer was no. */
export async function allowedWriter(io: Io, writer: Writer | null, question: string): Promise<Writer | null> {
  return (await confirmByHuman(io, question)) ? (writer ?? "inline-user") : null;
}
