import { describe, expect, it } from "vitest";
import type { UsageTotalBody } from "../log/record.ts";
import { noTokens } from "../log/tokens.ts";
import { StatedLedger } from "./stated-ledger.ts";

function stated(counter: string, output: number, more: Partial<UsageTotalBody> = {}): UsageTotalBody {
  const models = [{ model: null, ...noTokens(), output_tokens: output }];
  return { type: "usage_total", counter, includes_children: false, exact: true, models, ...more };
}

describe("what an agent states of itself", () => {
  it("is the latest statement of each counter, together", () => {
    const ledger = new StatedLedger();
    expect(ledger.total()).toBeNull();
    ledger.take(stated("0", 10), 1, 10);
    ledger.take(stated("0", 30), 2, 30);
    ledger.take(stated("1", 5, { exact: false, includes_children: true }), 3, 35);
    expect(ledger.total()).toEqual({ tokens: 35, line: 3, counted: 35, includes_children: true, exact: false });
    ledger.take(stated("0", 31), 4, 36);
    expect(ledger.total()).toMatchObject({ tokens: 36, line: 4, counted: 36 });
  });

  it("is without what other sessions spent, whether the statement says so or a copied one", () => {
    const ledger = new StatedLedger();
    ledger.inherit(stated("0", 40));
    ledger.take(stated("0", 45), 9, 5);
    ledger.take(stated("1", 12, { inherited: { ...noTokens(), output_tokens: 10 } }), 10, 7);
    expect(ledger.total()).toMatchObject({ tokens: 7 });
    // At rest and awake again.
    const woken = new StatedLedger(structuredClone(ledger.save()));
    woken.take(stated("0", 46), 11, 8);
    expect(woken.total()).toMatchObject({ tokens: 8, line: 11 });
  });
});
