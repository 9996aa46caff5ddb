import { DaybookError } from "../errors.ts";

/** Why a question has no answer from a store: what it is about stays on the machine that pushed. */
export function notInStore(what: string): DaybookError {
  return new DaybookError(
    `this is answered from a store, where ${what} are not: they stay on the machine that pushed`,
    {
      ...{ code: "refused", op: "ask store", hint: "ask Daybook on that machine, without --store" },
    },
  );
}
