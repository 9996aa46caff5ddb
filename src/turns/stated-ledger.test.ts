import { describe, expect, it } from "vitest";
import type { UsageTotalBody } from "../format/record.ts";
import { noTokens } from "../format/tokens.ts";
import type { UsageEvent } from "./model.ts";
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

  it("is kept, statement by statement, with what records told of it, where it may hold more than they do", () => {
    const ledger = new StatedLedger();
    const response = (id: string, time: number, line: number): UsageEvent => ({
      ...{ response_id: id, model: "m", time, line, turn: null },
      ...noTokens(),
      output_tokens: 5,
    });
    const [a, b, c] = [response("a", 10, 1), response("b", 20, 2), response("c", 40, 5)];
    const total = (output: number, elapsed: number): UsageTotalBody =>
      stated("0", output, { unwritten: "toy", since: new Date(0).toISOString(), elapsed_ms: elapsed });
    ledger.spent({ event: a, before: null }, 10);
    ledger.worked(15);
    ledger.take(total(5, 15), 2, 5);
    // A process that was killed spent this; the next one ran for five milliseconds.
    ledger.spent({ event: { ...b, line: 3 }, before: null }, 20);
    const woken = new StatedLedger(structuredClone(ledger.save()));
    woken.spent({ event: c, before: null }, 40);
    woken.take(total(10, 20), 6, 15, () => [a, { ...b, line: 3 }, c]);
    expect(woken.statements).toMatchObject([
      { time: 15, next: 20, written: [{ output_tokens: 5 }] },
      { time: 40, next: null, written: [{ output_tokens: 5 }] },
    ]);
    // They count for something themselves: there is nothing left to compare.
    expect(woken.total()).toBeNull();
  });
});
