import { assert, property, string } from "fast-check";
import { expect, it } from "vitest";
import { unquotePrompt } from "./quoting.ts";

it.each([
  ['"a b"', "a b"],
  ['"say \\"hi there\\" now"', 'say "hi there" now'],
  ['"two words"\npiped in', "two words\npiped in"],
  ['"word"', null],
  ['"a b" c', null],
  ['say "a b"', null],
  ['"a b', null],
  ["plain text", null],
])("unquotePrompt turns %j into %j", (stored, typed) => {
  expect(unquotePrompt(stored)).toBe(typed);
});

it("unquotePrompt reverses the quoting by `run` of one argument with a space", () => {
  const argument = string().filter((value) => value.includes(" ") && !value.includes("\\"));
  assert(property(argument, (value) => unquotePrompt(`"${value.replaceAll('"', '\\"')}"`) === value));
});
