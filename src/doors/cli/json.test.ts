import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Io } from "./io.ts";
import { printJson } from "./json.ts";

function printed(value: unknown): string {
  let text = "";
  printJson({ out: (piece) => void (text += piece) } as Io, value);
  return text;
}

it("printJson prints any value as JSON that parses to the same value", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => isSame(JSON.parse(printed(value)), value)));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.array(fc.jsonValue())), (value) =>
      isSame(JSON.parse(printed(value)), value),
    ),
  );
});

it("printJson prints an iterator as a list", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 100 }), (list) =>
      isSame(JSON.parse(printed({ n: 1, list: list.values() })), { n: 1, list }),
    ),
  );
});

it("printJson puts each element of a top-level list on one line and indents other values", () => {
  const value = { n: 1, none: [], left: undefined, list: [{ a: [1, 2] }, "two\nlines"], more: { deep: [1] } };
  expect(printed(value)).toBe(
    `{
  "n": 1,
  "none": [],
  "list": [
    {"a":[1,2]},
    "two\\nlines"
  ],
  "more": {
    "deep": [
      1
    ]
  }
}
`,
  );
});

it("printJson prints a long list completely, one line per element", () => {
  const value = { list: Array.from({ length: 5000 }, (_, i) => ({ i, text: "line\nbreak ".repeat(20) })) };
  const text = printed(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text.split("\n").length).toBe(5000 + 5);
});

/** Compared as JSON, where -0 is 0. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
