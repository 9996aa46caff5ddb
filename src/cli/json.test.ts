import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Io } from "./io.ts";
import { printJson } from "./json.ts";

function printed(value: unknown): string {
  let text = "";
  printJson({ out: (piece) => void (text += piece) } as Io, value);
  return text;
}

it("prints what was given, whatever it is", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => isSame(JSON.parse(printed(value)), value)));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.array(fc.jsonValue())), (value) =>
      isSame(JSON.parse(printed(value)), value),
    ),
  );
});

it("prints what is made one by one", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 100 }), (list) =>
      isSame(JSON.parse(printed({ n: 1, list: list.values() })), { n: 1, list }),
    ),
  );
});

it("puts each element of a list on a line, and what stands beside lists as people read it", () => {
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

it("prints long lists in pieces", () => {
  const value = { list: Array.from({ length: 5000 }, (_, i) => ({ i, text: "line\nbreak ".repeat(20) })) };
  const text = printed(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text.split("\n").length).toBe(5000 + 5);
});

/** Compared as JSON, where -0 is 0. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
