import { describe, expect, it } from "vitest";
import type { UsageTotalBody } from "../format/record.ts";
import { noTokens } from "../format/tokens.ts";
import type { UsageEvent } from "./model.ts";
import { StatedLedger } from "./stated-ledger.ts";

function stated(counter: string, output: number, more: Partial<UsageTotalBody> = {}): UsageTotalBody {
  const models = [{ model: null, ...noTokens(), output_tokens: output }];
  return { type: "usage_total", counter, includes_children: false, exact: true, models, ...more };
}

const none = (): UsageEvent[] => [];

describe("what an agent states of itself", () => {
  it("is the latest statement of each counter, together", () => {
    const ledger = new StatedLedger();
    expect(ledger.total()).toBeNull();
    ledger.take(stated("0", 10), 1, 10, none);
    ledger.take(stated("0", 30), 2, 30, none);
    ledger.take(stated("1", 5, { exact: false, includes_children: true }), 3, 35, none);
    expect(ledger.total()).toEqual({ tokens: 35, line: 3, counted: 35, includes_children: true, exact: false });
    ledger.take(stated("0", 31), 4, 36, none);
    expect(ledger.total()).toMatchObject({ tokens: 36, line: 4, counted: 36 });
  });

  it("is without what other sessions spent, whether the statement says so or a copied one", () => {
    const ledger = new StatedLedger();
    ledger.inherit(stated("0", 40));
    ledger.take(stated("0", 45), 9, 5, none);
    ledger.take(stated("1", 12, { inherited: { ...noTokens(), output_tokens: 10 } }), 10, 7, none);
    expect(ledger.total()).toMatchObject({ tokens: 7 });
    // After saving and restoring.
    const woken = new StatedLedger(structuredClone(ledger.save()));
    woken.take(stated("0", 46), 11, 8, none);
    expect(woken.total()).toMatchObject({ tokens: 8, line: 11 });
  });

  it("is kept, statement by statement, with what records told of it, where it may hold more than they do", () => {
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
    ledger.take(total(5, 15), 2, 5, none);
    // Spent by a process that was killed; the next one ran for five milliseconds.
    ledger.addResponse({ event: { ...b, line: 3 }, before: null }, 20);
    const woken = new StatedLedger(structuredClone(ledger.save()));
    woken.addResponse({ event: c, before: null }, 40);
    woken.take(total(10, 20), 6, 15, () => [a, { ...b, line: 3 }, c]);
    expect(woken.statements).toMatchObject([
      { time: 15, next: 20, written: [{ output_tokens: 5 }] },
      { time: 40, next: null, written: [{ output_tokens: 5 }] },
    ]);
    // Such statements count by themselves: there is no total left to compare.
    expect(woken.total()).toBeNull();
  });

  describe("counts against what the process wrote that states it", () => {
    /** Responses by their times, then a total of counter "0" for each statement; written and cut off, in the last one. */
    interface Story {
      spent: readonly Partial<UsageEvent>[];
      since?: number;
      elapsed?: number;
      counter?: string;
    }
    const unwrittenOf = (...stories: readonly Story[]): unknown => {
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

    it("since its counter began", () => {
      expect(unwrittenOf({ spent: [at(10, 1), at(30, 2)] })).toEqual([3, 0]);
      expect(unwrittenOf({ spent: [at(10, 1), at(30, 2)], since: 25 })).toEqual([2, 0]);
      expect(unwrittenOf({ spent: [at(10, 1), at(30, 2)], since: 30 })).toEqual([2, 0]);
      expect(unwrittenOf({ spent: [at(30, 2), at(10, 1)], since: 25 })).toEqual([2, 0]);
      expect(
        unwrittenOf({ spent: [at(10, 1, { cut: true }), at(30, 2, { cut: true }), at(31, 4)], since: 25 }),
      ).toEqual([4, 2]);
      // A response without a time may belong to this process; a copy never does.
      expect(unwrittenOf({ spent: [at(10, 1), at(null, 2), at(30, 4, { copied: true })], since: 25 })).toEqual([2, 0]);
      expect(unwrittenOf({ spent: [at(30, 4, { copied: true })] })).toEqual([0, 0]);
    });

    it("since the process began, which ran for what was added to its counter's time", () => {
      const first: Story = { spent: [at(1, 100)], elapsed: 10 };
      expect(unwrittenOf({ spent: [at(10, 1), at(40, 2)], elapsed: 5 })).toEqual([3, 0]);
      expect(unwrittenOf(first, { spent: [at(20, 1), at(40, 2)], elapsed: 15 })).toEqual([2, 0]);
      expect(unwrittenOf(first, { spent: [at(20, 1), at(40, 2)], elapsed: 40 })).toEqual([3, 0]);
      expect(unwrittenOf(first, { spent: [at(20, 1), at(40, 2)] })).toEqual([3, 0]);
      // The later of both start times is used.
      expect(unwrittenOf(first, { spent: [at(20, 1), at(30, 2), at(40, 4)], elapsed: 15, since: 25 })).toEqual([4, 0]);
      expect(unwrittenOf(first, { spent: [at(20, 1), at(30, 2), at(40, 4)], elapsed: 40, since: 25 })).toEqual([6, 0]);
      expect(unwrittenOf(first, { spent: [at(20, 1), at(30, 2), at(40, 4)], since: 25 })).toEqual([6, 0]);
    });

    it("by the same counter, and after any other statement", () => {
      const other: Story = { spent: [at(5, 8)], counter: "1", elapsed: 1 };
      const first: Story = { spent: [at(1, 100)], elapsed: 10 };
      expect(unwrittenOf(first, other, { spent: [at(20, 1), at(40, 2)], elapsed: 15 })).toEqual([2, 0]);
      expect(unwrittenOf(other, { spent: [at(20, 1), at(40, 2)], elapsed: 5 })).toEqual([3, 0]);
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
        if (event.line === 1) ledger.take(stated("0", 9, { unwritten: "toy" }), 1, 0, none);
      }
      ledger.take(stated("0", 9, { unwritten: "toy", since: new Date(30).toISOString() }), 4, 0, () => all);
      expect(ledger.statements.map(({ written }) => written[0]?.output_tokens)).toEqual([1, 1]);
      // A response written before the statement but timed later was included in it.
      expect(unwrittenOf({ spent: [at(50, 8)] }, { spent: [at(20, 1), at(60, 2)], since: 30 })).toEqual([2, 0]);
    });

    it("each response as it is known in the end", () => {
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
      ledger.take(stated("0", 99, { unwritten: "toy" }), 2, 0, none);
      expect(ledger.statements).toMatchObject([{ time: 8, written: [{ model: "m", output_tokens: 10 }], cut: [] }]);
    });
  });
});
