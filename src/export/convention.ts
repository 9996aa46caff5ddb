import { PriceTable } from "../answers/pricing/price-table.ts";
import type { OwnedResponse } from "../answers/usage-response.ts";
import type { Attributes } from "./otlp.ts";
import type { Step, StepCall } from "./steps.ts";

/** The words one community has for what spans say. Which spans there are, and how they hang together, is the same for all. */
export interface Convention {
  /** On every span: which session it is of. */
  session: (sessionId: string) => Attributes;
  agent: (name: string, model: string | null) => Attributes;
  response: (model: string | null, response: OwnedResponse | null) => Attributes;
  call: (call: StepCall) => Attributes;
  /** What was said and done, which is written only where it is asked for. */
  content: {
    agent: (asked: string, answered: string) => Attributes;
    response: (step: Step) => Attributes;
    call: (call: StepCall) => Attributes;
  };
}

const prices = new PriceTable();

/** Who sells a model, as a convention spells it; null where it is not known. */
export function sellerOf(model: string | null, names: Readonly<Record<string, string>>): string | null {
  const seller = model === null ? null : prices.providerOf(model);
  return seller === null ? null : (names[seller] ?? seller);
}

/** What a call printed, or why it printed nothing. */
export function outputOf({ end }: StepCall): string | null {
  return end?.output ?? end?.error ?? null;
}
