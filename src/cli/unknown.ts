import { DaybookError } from "../errors.ts";
import { suggestion } from "../text/near.ts";

/** A word that is none of those a flag or an argument takes, with what may have been meant. */
export function unknown(what: string, given: string, known: readonly string[]): DaybookError {
  return wrongUse(`unknown ${what}: ${given}`, suggestion(given, known));
}

/** Flags or arguments that make no sense, and what to do instead. */
export function wrongUse(message: string, hint: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "parse flags", hint });
}
