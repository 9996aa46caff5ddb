import { expect, test } from "vitest";
import { inlineParts } from "../../web/src/lib/inline.ts";

test("only text between a pair of marks becomes code or strong", () => {
  expect(inlineParts("run `npm test` **now**")).toEqual([
    { text: "run ", as: "plain" },
    { text: "npm test", as: "code" },
    { text: " ", as: "plain" },
    { text: "now", as: "strong" },
  ]);
  expect(inlineParts("a ` alone, 2 ** 3")).toEqual([{ text: "a ` alone, 2 ** 3", as: "plain" }]);
  expect(inlineParts("")).toEqual([]);
  expect(inlineParts("<b>`<i>`")).toEqual([
    { text: "<b>", as: "plain" },
    { text: "<i>", as: "code" },
  ]);
});
