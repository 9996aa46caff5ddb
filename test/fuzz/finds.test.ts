import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { instant } from "../../src/io/instant.ts";
import { PriceTable } from "../../src/answers/pricing/price-table.ts";
import { answers, differences, open, scratch } from "../store/fixture.ts";
import { nine } from "../nine.ts";

/** What `npm run fuzz` found, each put into a genuine file by itself. */
const FINDS: readonly { what: string; file: RegExp; found: RegExp; instead: string }[] = [
  {
    what: "a time that is no date: days could not be told of it, and no audit was given",
    file: /storage\/message\/.*\.json$/,
    found: /"created": ?\d+/,
    instead: '"created": 8640000000000001',
  },
  {
    what: "a time of more than four digits in its year",
    file: /07-09-53.*\.jsonl$/,
    found: /"timestamp":"[^"]+"/,
    instead: '"timestamp":"+275760-09-12T00:00:00.000Z"',
  },
  {
    what: "a NUL in the name of a model, where SQLite ends the text",
    file: /088b10c2.*\.jsonl$/,
    found: /"model":"claude-sonnet-4/,
    instead: String.raw`"model":"claude\u0000-sonnet-4`,
  },
  {
    what: "half a pair in the name of a model, which SQLite cannot write",
    file: /088b10c2.*\.jsonl$/,
    found: /"model":"claude-sonnet-4/,
    instead: String.raw`"model":"\ud800-sonnet-4`,
  },
  {
    what: "a response that would have cost more than a number holds exactly",
    file: /088b10c2.*\.jsonl$/,
    found: /"output_tokens":\d+/,
    instead: '"output_tokens":900000000000',
  },
];

it.each(FINDS)("$what", async ({ file, found, instead }) => {
  const { dir, roots: all } = nine();
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => join(dir, name));
  const path = names.find((name) => file.test(name)) ?? "";
  const text = readFileSync(path, "utf8");
  writeFileSync(
    path,
    text.replace(found, () => instead),
  );
  expect(readFileSync(path, "utf8")).not.toBe(text);
  const roots = Object.fromEntries(Object.entries(all).filter(([, [root = ""]]) => path.startsWith(`${root}/`)));
  const answered = await answers(open(roots), 0);
  expect((answered["audit"] as { balanced: boolean }).balanced).toBe(true);
  expect(differences(await answers(open(roots, scratch("home")), 0), answered)).toEqual([]);
});

it("times are those of years with four digits", () => {
  expect([Number.NaN, 8.64e15, -8.64e15, 253_402_300_800_000].map(instant)).toEqual([null, null, null, null]);
  expect([0, 1.9, 1_700_000_000_000].map(instant)).toEqual([0, 1, 1_700_000_000_000]);
});

it("a cost beyond what a number holds exactly is not known", () => {
  const tokens = { input_tokens: 0, cached_input_tokens: 0, cache_write_tokens: 0, cache_write_1h_tokens: 0 };
  const of = (output_tokens: number): number | null =>
    new PriceTable().cost("claude-sonnet-4-20250514", { ...tokens, output_tokens, reasoning_tokens: 0 }, 0);
  expect(of(1)).toBe(15_000_000);
  expect(of(900_000_000_000)).toBeNull();
});
