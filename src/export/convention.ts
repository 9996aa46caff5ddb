import { PriceTable } from "../views/pricing/price-table.ts";
import type { CountedResponse } from "../views/response.ts";
import type { Attributes } from "./otlp.ts";
import type { Step, StepCall } from "./steps.ts";

/** The attribute names of one semantic convention. Which spans exist and how they are nested is the same for all. */
export interface Convention {
  /** On every span: its session. */
  session: (sessionId: string) => Attributes;
  agent: (name: string, model: string | null) => Attributes;
  response: (model: string | null, response: CountedResponse | null) => Attributes;
  call: (call: StepCall) => Attributes;
  /** Conversation content, written only on request. */
  content: {
    agent: (asked: string, answered: string) => Attributes;
    response: (step: Step) => Attributes;
    call: (call: StepCall) => Attributes;
  };
}

const prices = new PriceTable();

/** The vendor of a model, as the convention spells it; null if unknown. */
export function sellerOf(model: string | null, names: Readonly<Record<string, string>>): string | null {
  const seller = model === null ? null : prices.providerOf(model);
  return seller === null ? null : (names[seller] ?? seller);
}

/** The output of a call, or its error. */
export function outputOf({ end }: StepCall): string | null {
  return end?.output ?? end?.error ?? null;
}
