import * as fc from "fast-check";
import { expect, it } from "vitest";
import { SignTable, type Sign } from "./signs.ts";

const PIECES = [
  "abc",
  "abcd",
  "bcd",
  "A1-",
  "a1-",
  "x_y",
  "key: ",
  "KEY: ",
  "KeY: ",
  "://",
  "ab",
  "é",
  "\n",
  "-",
  "日本",
];

it("SignTable reports signs in order of position while little text has been searched", () => {
  const found: number[] = [];
  const signs = ["bcd", "abc"].map((text) => ({ text, value: text }));
  new SignTable(signs, Infinity).scan("abc bcd abc bcd", (_, start) => void found.push(start));
  expect(found).toEqual([0, 4, 8, 12]);
});

it("SignTable finds every sign with each of its search methods, also overlapping signs", () => {
  const signs: Sign<string>[] = ["abc", "abcd", "bcd", "A1-", "x_y", "://", "key: ", "KEY: "].map((text) => ({
    text,
    value: text,
  }));
  const expected = (text: string): string[] =>
    signs.flatMap(({ text: sign, value }) => {
      const found: string[] = [];
      for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) found.push(`${value}@${at}`);
      return found;
    });
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 40, size: "max" }), (pieces) => {
      const text = pieces.join("");
      for (const little of [Infinity, 0]) {
        const found: string[] = [];
        new SignTable(signs, little).scan(text, (value, start) => void found.push(`${value}@${start}`));
        expect(found.toSorted()).toEqual(expected(text).toSorted());
      }
    }),
    { numRuns: 500 },
  );
});

it.each(["", "ab"])("SignTable refuses a sign of fewer than three characters: %j", (text) => {
  expect(
    () =>
      new SignTable([
        { text: "abc", value: 1 },
        { text, value: 2 },
      ]),
  ).toThrow(`not a sign: "${text}"`);
});
