import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { instant } from "../../src/base/io/instant.ts";
import { PriceTable } from "../../src/views/pricing/price-table.ts";
import { answers, differences, open, scratch } from "../store/fixture.ts";
import { nine } from "../nine.ts";

/** Values for which `npm run fuzz` found bugs, each to be put into a genuine file. */
const FINDS: readonly { what: string; file: RegExp; pattern: RegExp; replacement: string }[] = [
  {
    what: "a time outside the range of dates",
    file: /storage\/message\/.*\.json$/,
    pattern: /"created": ?\d+/,
    replacement: '"created": 8640000000000001',
  },
  {
    what: "a time whose year has more than four digits",
    file: /07-09-53.*\.jsonl$/,
    pattern: /"timestamp":"[^"]+"/,
    replacement: '"timestamp":"+275760-09-12T00:00:00.000Z"',
  },
  {
    what: "a NUL in the name of a model, which ends a text in SQLite",
    file: /088b10c2.*\.jsonl$/,
    pattern: /"model":"claude-sonnet-4/,
    replacement: String.raw`"model":"claude\u0000-sonnet-4`,
  },
  {
    what: "a lone surrogate in the name of a model, which SQLite cannot store",
    file: /088b10c2.*\.jsonl$/,
    pattern: /"model":"claude-sonnet-4/,
    replacement: String.raw`"model":"\ud800-sonnet-4`,
  },
  {
    what: "a response whose cost exceeds the largest exact integer",
    file: /088b10c2.*\.jsonl$/,
    pattern: /"output_tokens":\d+/,
    replacement: '"output_tokens":900000000000',
  },
];

it.each(FINDS.map((find) => [find.what, find] as const))(
  "files and book give the same answers with %s",
  async (_, find) => {
    const { file, pattern, replacement } = find;
    const { dir, roots: all } = nine();
    const names = readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => join(dir, name));
    const path = names.find((name) => file.test(name)) ?? "";
    const text = readFileSync(path, "utf8");
    writeFileSync(
      path,
      text.replace(pattern, () => replacement),
    );
    expect(readFileSync(path, "utf8")).not.toBe(text);
    const roots = Object.fromEntries(Object.entries(all).filter(([, [root = ""]]) => path.startsWith(`${root}/`)));
    const answered = await answers(open(roots), 0);
    expect((answered["audit"] as { balanced: boolean }).balanced).toBe(true);
    expect(differences(await answers(open(roots, scratch("home")), 0), answered)).toEqual([]);
  },
);

it("times outside of four-digit years are null", () => {
  expect([Number.NaN, 8.64e15, -8.64e15, 253_402_300_800_000].map(instant)).toEqual([null, null, null, null]);
  expect([0, 1.9, 1_700_000_000_000].map(instant)).toEqual([0, 1, 1_700_000_000_000]);
});

it("a cost above the largest exact integer is null", () => {
  const tokens = { input_tokens: 0, cached_input_tokens: 0, cache_write_tokens: 0, cache_write_1h_tokens: 0 };
  const costOf = (output_tokens: number): number | null =>
    new PriceTable().cost("claude-sonnet-4-20250514", { ...tokens, output_tokens, reasoning_tokens: 0 }, 0);
  expect(costOf(1)).toBe(15_000_000);
  expect(costOf(900_000_000_000)).toBeNull();
});
