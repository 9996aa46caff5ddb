import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeStatements, isLargerStatement, type Stated } from "./merge-statements.ts";
import { noTokens, tokensIn, totalTokens } from "./tokens.ts";

interface Placed extends Stated {
  line: number;
}

const few = fc.nat(3);
const statement: fc.Arbitrary<Stated> = fc
  .record({
    tokens: fc.record({
      input_tokens: few,
      cached_input_tokens: few,
      cache_write_tokens: few,
      cache_write_1h_tokens: few,
      output_tokens: few,
      reasoning_tokens: few,
    }),
    model: fc.constantFrom("small", "large", null),
    time: fc.option(fc.nat(20)),
    copied: fc.boolean(),
    cut: fc.boolean(),
  })
  .map(({ tokens, model, time, copied, cut }) => {
    return { ...tokens, model, time, ...(copied ? { copied } : {}), ...(cut ? { cut } : {}) };
  });
const statements = fc.array(statement, { minLength: 1, maxLength: 9, size: "max" });

const merged = (list: readonly Stated[]): Placed =>
  list.map((one, line) => ({ ...one, line })).reduce((a, b) => mergeStatements(a, b));
const withoutLine = (placed: Placed): Stated => ({ ...placed, line: 0 }) as Stated;

describe("merged statements of one response", () => {
  it("do not depend on the order or grouping of the statements", () => {
    fc.assert(
      fc.property(statements, fc.func(fc.nat()), fc.nat(), (list, shuffle, cut) => {
        const inOrder = merged(list);
        const other = list.map((one, i) => [shuffle(i), one] as const).toSorted(([a], [b]) => a - b);
        expect(withoutLine(merged(other.map(([, one]) => one)))).toEqual(withoutLine(inOrder));
        const at = 1 + (cut % list.length);
        const rest = list.slice(at);
        if (rest.length > 0)
          expect(withoutLine(mergeStatements(merged(list.slice(0, at)), merged(rest)))).toEqual(withoutLine(inOrder));
        expect(withoutLine(mergeStatements(inOrder, inOrder))).toEqual(withoutLine(inOrder));
      }),
      { numRuns: 2000 },
    );
  });

  it("have the largest statement's tokens, the model of the largest that names one, the earliest time", () => {
    fc.assert(
      fc.property(statements, (list) => {
        const all = merged(list);
        expect(list.map(tokensIn)).toContainEqual(tokensIn(all));
        expect(list.some((one) => isLargerStatement(one, all))).toBe(false);
        expect(totalTokens(all)).toBe(Math.max(...list.map(totalTokens)));
        const naming = list.filter((one) => one.model !== null);
        const largest = Math.max(...naming.map(totalTokens));
        const names = naming.flatMap((one) => (totalTokens(one) === largest ? (one.model ?? []) : []));
        expect(all.model).toBe(names.toSorted()[0] ?? null);
        const times = list.flatMap((one) => one.time ?? []);
        expect(all.time).toBe(times.length === 0 ? null : Math.min(...times));
        expect(all.copied === true).toBe(list.every((one) => one.copied === true));
        expect(all.line).toBe(
          Math.max(
            list.findIndex((one) => one.copied === undefined),
            0,
          ),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it("have the tokens of the statement with more expensive tokens if two are equally large", () => {
    const of = (more: Partial<Stated>): Stated => ({ ...noTokens(), model: "m", time: null, ...more });
    const pairs: [Partial<Stated>, Partial<Stated>][] = [
      [{ output_tokens: 2 }, { input_tokens: 2 }],
      [{ output_tokens: 2, reasoning_tokens: 1 }, { output_tokens: 2 }],
      [{ cache_write_tokens: 2, cache_write_1h_tokens: 1 }, { cache_write_tokens: 2 }],
      [{ cache_write_tokens: 2 }, { input_tokens: 2 }],
      [{ input_tokens: 2 }, { cached_input_tokens: 2 }],
    ];
    for (const [more, less] of pairs) {
      expect(isLargerStatement(of(more), of(less))).toBe(true);
      expect(isLargerStatement(of(less), of(more))).toBe(false);
    }
  });
});
