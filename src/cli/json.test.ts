import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Io } from "./io.ts";
import { printJson } from "./json.ts";

function printed(value: unknown): string {
  let text = "";
  printJson({ out: (piece) => void (text += piece) } as Io, value);
  return text;
}

it("prints what JSON.stringify would", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => printed(value) === `${JSON.stringify(value, null, 2)}\n`));
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.array(fc.jsonValue())),
      (value) => printed(value) === `${JSON.stringify(value, null, 2)}\n`,
    ),
  );
});

it("prints what is made one by one", () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { maxLength: 100 }),
      (list) => printed({ n: 1, list: list.values() }) === `${JSON.stringify({ n: 1, list }, null, 2)}\n`,
    ),
  );
});

it("leaves out what is undefined, and prints long lists in pieces", () => {
  const value = {
    a: undefined,
    list: Array.from({ length: 5000 }, (_, i) => ({ i, text: "line\nbreak ".repeat(20) })),
  };
  expect(printed(value)).toBe(`${JSON.stringify(value, null, 2)}\n`);
});
