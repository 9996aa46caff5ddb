import { describe, expect, it } from "vitest";
import type { UsageTotalBody } from "../record/record.ts";
import { noTokens } from "../record/tokens.ts";
import type { UsageEvent } from "./model.ts";
import { StatedLedger } from "./stated-ledger.ts";

function stated(counter: string, output: number, more: Partial<UsageTotalBody> = {}): UsageTotalBody {
  const models = [{ model: null, ...noTokens(), output_tokens: output }];
  return { type: "usage_total", counter, includes_children: false, exact: true, models, ...more };
}

const noResponses = (): UsageEvent[] => [];

describe("the totals an agent states", () => {
  it("add up to the latest value of each counter", () => {
    const ledger = new StatedLedger();
    expect(ledger.total()).toBeNull();
    ledger.take(stated("0", 10), 1, 10, noResponses);
    ledger.take(stated("0", 30), 2, 30, noResponses);
    ledger.take(stated("1", 5, { exact: false, includes_children: true }), 3, 35, noResponses);
    expect(ledger.total()).toEqual({ tokens: 35, line: 3, counted: 35, includes_children: true, exact: false });
    ledger.take(stated("0", 31), 4, 36, noResponses);
    expect(ledger.total()).toMatchObject({ tokens: 36, line: 4, counted: 36 });
  });

  it("exclude what other sessions spent, stated as inherited or known from a copied total", () => {
    const ledger = new StatedLedger();
    ledger.inherit(stated("0", 40));
    ledger.take(stated("0", 45), 9, 5, noResponses);
    ledger.take(stated("1", 12, { inherited: { ...noTokens(), output_tokens: 10 } }), 10, 7, noResponses);
    expect(ledger.total()).toMatchObject({ tokens: 7 });
    // After saving and restoring.
    const restored = new StatedLedger(structuredClone(ledger.save()));
    restored.take(stated("0", 46), 11, 8, noResponses);
    expect(restored.total()).toMatchObject({ tokens: 8, line: 11 });
  });

  it("that may include unrecorded usage are stored one by one, with the usage recorded for each", () => {
    const ledger = new StatedLedger();
    const response = (id: string, time: number, line: number): UsageEvent => ({
      response_id: id,
      model: "m",
      time,
      line,
      turn: null,
      ...noTokens(),
      output_tokens: 5,
    });
    const [a, b, c] = [response("a", 10, 1), response("b", 20, 2), response("c", 40, 5)];
    const total = (output: number, elapsed: number): UsageTotalBody =>
      stated("0", output, { unwritten: "toy", since: new Date(0).toISOString(), elapsed_ms: elapsed });
    ledger.addResponse({ event: a, before: null }, 10);
    ledger.recordActivity(15);
    ledger.take(total(5, 15), 2, 5, noResponses);
    // This response was spent by a process that was killed; the next process ran for five milliseconds.
    ledger.addResponse({ event: { ...b, line: 3 }, before: null }, 20);
    const restored = new StatedLedger(structuredClone(ledger.save()));
    restored.addResponse({ event: c, before: null }, 40);
    restored.take(total(10, 20), 6, 15, () => [a, { ...b, line: 3 }, c]);
    expect(restored.statements).toMatchObject([
      { time: 15, next: 20, written: [{ output_tokens: 5 }] },
      { time: 40, next: null, written: [{ output_tokens: 5 }] },
    ]);
    // Such statements count by themselves: there is no total left to compare.
    expect(restored.total()).toBeNull();
  });

  describe("are compared with the responses recorded", () => {
    /** Responses with their times, followed by one total of the counter. */
    interface Story {
      spent: readonly Partial<UsageEvent>[];
      since?: number;
      elapsed?: number;
      counter?: string;
    }
    /** The output tokens compared with the last total: those of complete responses and of responses cut off. */
    const comparedWithLast = (...stories: readonly Story[]): unknown => {
      const ledger = new StatedLedger();
      const all: UsageEvent[] = [];
      let line = 0;
      for (const { spent, since, elapsed, counter = "0" } of stories) {
        for (const one of spent) {
          const id = String(++line);
          const event = { response_id: id, model: "m", time: null, line, turn: null, ...noTokens(), ...one };
          all.push(event);
          ledger.addResponse({ event, before: null }, event.time);
        }
        const body = stated(counter, 99, {
          unwritten: "toy",
          ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
          ...(elapsed === undefined ? {} : { elapsed_ms: elapsed }),
        });
        ledger.take(body, ++line, 0, () => all);
      }
      const last = ledger.statements.at(-1);
      const sum = (list: readonly { output_tokens: number }[]): number =>
        list.reduce((total, one) => total + one.output_tokens, 0);
      return [sum(last?.written ?? []), sum(last?.cut ?? [])];
    };
    const at = (time: number | null, output: number, more: Partial<UsageEvent> = {}): Partial<UsageEvent> => ({
      time,
      output_tokens: output,
      ...more,
    });

    it("since the counter began", () => {
      expect(comparedWithLast({ spent: [at(10, 1), at(30, 2)] })).toEqual([3, 0]);
      expect(comparedWithLast({ spent: [at(10, 1), at(30, 2)], since: 25 })).toEqual([2, 0]);
      expect(comparedWithLast({ spent: [at(10, 1), at(30, 2)], since: 30 })).toEqual([2, 0]);
      expect(comparedWithLast({ spent: [at(30, 2), at(10, 1)], since: 25 })).toEqual([2, 0]);
      expect(
        comparedWithLast({ spent: [at(10, 1, { cut: true }), at(30, 2, { cut: true }), at(31, 4)], since: 25 }),
      ).toEqual([4, 2]);
      // A response without a time may belong to this process; a copy never does.
      expect(comparedWithLast({ spent: [at(10, 1), at(null, 2), at(30, 4, { copied: true })], since: 25 })).toEqual([
        2, 0,
      ]);
      expect(comparedWithLast({ spent: [at(30, 4, { copied: true })] })).toEqual([0, 0]);
    });

    it("since the process began, computed from the growth of the counter's elapsed time", () => {
      const first: Story = { spent: [at(1, 100)], elapsed: 10 };
      expect(comparedWithLast({ spent: [at(10, 1), at(40, 2)], elapsed: 5 })).toEqual([3, 0]);
      expect(comparedWithLast(first, { spent: [at(20, 1), at(40, 2)], elapsed: 15 })).toEqual([2, 0]);
      expect(comparedWithLast(first, { spent: [at(20, 1), at(40, 2)], elapsed: 40 })).toEqual([3, 0]);
      expect(comparedWithLast(first, { spent: [at(20, 1), at(40, 2)] })).toEqual([3, 0]);
      // The later of both start times is used.
      expect(comparedWithLast(first, { spent: [at(20, 1), at(30, 2), at(40, 4)], elapsed: 15, since: 25 })).toEqual([
        4, 0,
      ]);
      expect(comparedWithLast(first, { spent: [at(20, 1), at(30, 2), at(40, 4)], elapsed: 40, since: 25 })).toEqual([
        6, 0,
      ]);
      expect(comparedWithLast(first, { spent: [at(20, 1), at(30, 2), at(40, 4)], since: 25 })).toEqual([6, 0]);
    });

    it("after the last statement of any counter, with elapsed times compared per counter", () => {
      const other: Story = { spent: [at(5, 8)], counter: "1", elapsed: 1 };
      const first: Story = { spent: [at(1, 100)], elapsed: 10 };
      expect(comparedWithLast(first, other, { spent: [at(20, 1), at(40, 2)], elapsed: 15 })).toEqual([2, 0]);
      expect(comparedWithLast(other, { spent: [at(20, 1), at(40, 2)], elapsed: 5 })).toEqual([3, 0]);
      // A response in the record that states a total is part of that total.
      const ledger = new StatedLedger();
      const one = (line: number, time: number): UsageEvent => ({
        response_id: String(time),
        model: "m",
        time,
        line,
        turn: null,
        ...noTokens(),
        output_tokens: 1,
      });
      const all = [one(1, 50), one(2, 20), one(3, 60)];
      for (const event of all) {
        ledger.addResponse({ event, before: null }, event.time);
        if (event.line === 1) ledger.take(stated("0", 9, { unwritten: "toy" }), 1, 0, noResponses);
      }
      ledger.take(stated("0", 9, { unwritten: "toy", since: new Date(30).toISOString() }), 4, 0, () => all);
      expect(ledger.statements.map(({ written }) => written[0]?.output_tokens)).toEqual([1, 1]);
      // A response written before the statement but timed later was included in it.
      expect(comparedWithLast({ spent: [at(50, 8)] }, { spent: [at(20, 1), at(60, 2)], since: 30 })).toEqual([2, 0]);
    });

    it("in the latest version of each response", () => {
      const ledger = new StatedLedger();
      const one = (output: number, more: object = {}): UsageEvent => ({
        response_id: "a",
        model: "m",
        time: 5,
        line: 1,
        turn: null,
        ...noTokens(),
        output_tokens: output,
        ...more,
      });
      ledger.addResponse({ event: one(3), before: null }, 5);
      ledger.addResponse({ event: one(7), before: one(3) }, 6);
      // A response that only a copy had stated was not counted.
      ledger.addResponse({ event: one(2), before: one(1, { copied: true }) }, 8);
      // A record without a time does not change the times.
      ledger.addResponse({ event: one(1, { time: null }), before: null }, null);
      ledger.take(stated("0", 99, { unwritten: "toy" }), 2, 0, noResponses);
      expect(ledger.statements).toMatchObject([{ time: 8, written: [{ model: "m", output_tokens: 10 }], cut: [] }]);
    });
  });
});
