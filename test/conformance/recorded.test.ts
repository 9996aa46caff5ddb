import { expect, it } from "vitest";
// @ts-expect-error a script of plain JavaScript
import * as comparing from "../../scripts/conformance/compare.js";
// @ts-expect-error a script of plain JavaScript
import { recordedNames, unpack } from "../../scripts/conformance/recorded.js";
import { Daybook } from "../../src/answers/daybook.ts";
import { scratch } from "../store/fixture.ts";

interface Row {
  aspect: string;
  of: number;
  differences: string[];
}
interface Run {
  version: string;
  typed: { text: string }[];
}
const { compare } = comparing as { compare: (run: Run, read: object) => Row[] };
const names = recordedNames() as string[];
const unpacked = unpack as (name: string, into: string) => Run;

it.each(names)("what %s was asked and served is what is read in its files", async (name) => {
  const store = scratch(name);
  const run = unpacked(name, store);
  const daybook = new Daybook({ roots: { [name]: [store] }, env: {}, timezone: "UTC" });
  const rows = compare(run, {
    turns: await daybook.turns(),
    tools: await daybook.tools(),
    sessions: await daybook.sessions(),
    balanced: (await daybook.audit()).balanced,
  });
  expect(rows.flatMap(({ aspect, differences }) => differences.map((one) => `${aspect}: ${one}`))).toEqual([]);
  expect(run.typed.length).toBeGreaterThan(20);
  expect(rows.map(({ of }) => of).every((of) => of > 0)).toBe(true);
  daybook.close();
});
