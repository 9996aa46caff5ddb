import { DaybookError } from "../../base/errors.ts";
import { suggestion } from "../../base/text/near.ts";

/** Error for a value that a flag or argument does not accept, with a suggestion. */
export function unknownValueError(what: string, given: string, known: readonly string[]): DaybookError {
  return usageError(`unknown ${what}: ${given}`, suggestion(given, known));
}

/** Error for flags or arguments that make no sense, with what to do instead. */
export function usageError(message: string, hint: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "parse flags", hint });
}
