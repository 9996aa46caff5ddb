import { expect, test } from "vitest";
import { inlineParts } from "../../web/src/lib/inline.ts";

test("only what stands between two backticks of a line is code", () => {
  expect(inlineParts("run `npm test` now")).toEqual([
    { text: "run ", code: false },
    { text: "npm test", code: true },
    { text: " now", code: false },
  ]);
  expect(inlineParts("a ` alone")).toEqual([{ text: "a ` alone", code: false }]);
  expect(inlineParts("")).toEqual([]);
  expect(inlineParts("<b>`<i>`")).toEqual([
    { text: "<b>", code: false },
    { text: "<i>", code: true },
  ]);
});
