import { describe, expect, it } from "vitest";
import { A, at, CA, claude, claudeLine, codex, CU, M, open, R, TD, U, type Book, type Line } from "./build.ts";

/** Output tokens by turn and in total. Asserts that every grouping has the same totals and that the audit balances. */
async function output(book: Book): Promise<{ turns: number[]; total: number }> {
  const turns = (await book.turns()).map((turn) => turn.usage.output_tokens);
  const options = { breakdown: false, order: "asc" } as const;
  const usage = await book.usage({ group: "session", by: "spent", ...options });
  for (const other of [
    { group: "daily", by: "spent" },
    { group: "daily", by: "trigger" },
    { group: "turn", by: "trigger" },
  ] as const) {
    expect((await book.usage({ ...other, ...options })).totals).toEqual(usage.totals);
  }
  expect((await book.audit()).balanced).toBe(true);
  return { turns, total: usage.totals.output_tokens };
}

/** Section H: the counts that the workspace's filter for low output uses. The filter is tested with the workspace. */
describe("H. usage", () => {
  it("case 90: a repeated token count is no second response", async () => {
    const repeated = codex(M("s"), R("go"), U(40, 40), U(40, 40), A("a"), U(80, 40), U(80, 40), TD());
    expect(await output(repeated)).toEqual({ turns: [80], total: 80 });
    expect(await output(codex(M("s"), R("go"), U(60, 60), A("a"), U(120, 60), TD()))).toEqual({
      turns: [120],
      total: 120,
    });
  });

  it("case 91: tokens counted before the turn do not belong to the turn", async () => {
    expect((await output(codex(M("s"), U(1000, 1000), R("go"), A("a"), U(1005, 5), TD()))).turns).toEqual([5]);
    expect((await output(codex(M("s"), U(1000, null), R("go"), A("a"), U(1005, null), TD()))).turns).toEqual([5]);
    // Without a baseline the total says nothing about the turn, the last response does.
    expect((await output(codex(M("s"), R("go"), A("a"), U(1005, 5), TD()))).turns).toEqual([5]);
  });

  it("case 93: a Claude response counts once, with its largest numbers", async () => {
    const grown = claude(
      CU("go"),
      CA("a", { id: "m1", output: 30 }),
      CA("b", { id: "m1", output: 50 }),
      CA("c", { id: "m2", output: 40 }),
    );
    expect(await output(grown)).toEqual({ turns: [90], total: 90 });
    const shrunk = claude(CU("go"), CA("a", { id: "m1", output: 50 }), CA("b", { id: "m1", output: 30 }));
    expect(await output(shrunk)).toEqual({ turns: [50], total: 50 });
    expect(
      await output(claude(CU("go"), CA("a", { id: "m1", output: 50 }), CA("b", { id: "m2", output: 50 }))),
    ).toEqual({
      turns: [100],
      total: 100,
    });
  });

  it("a response repeated without its model keeps its model", async () => {
    const line = CA("b", { id: "m1", output: 50 });
    const withoutModel = { ...line, message: { ...(line["message"] as Line), model: undefined } };
    const book = claude(CU("go"), CA("a", { id: "m1", output: 30 }), withoutModel);
    for (const group of ["daily", "session"] as const) {
      const { totals } = await book.usage({ group, by: "spent", breakdown: false, order: "asc" });
      expect(totals).toMatchObject({ output_tokens: 50, models: ["claude-sonnet-4-5"], unpriced_models: [] });
    }
  });

  it("a cost leaves out unpriced models and lists them; it is null if no model has a price", async () => {
    const reply = CA("b", { id: "m2", output: 50 });
    const house = { ...reply, message: { ...(reply["message"] as object), model: "house-model" } };
    const mixed = claude(CU("go"), CA("a", { id: "m1", output: 1000 }), house);
    const [turn] = await mixed.turns();
    const known = { cost_usd: 0.015, unpriced_models: ["house-model"] };
    expect(turn?.usage).toMatchObject(known);
    for (const group of ["daily", "session", "turn"] as const) {
      const report = await mixed.usage({ group, by: "spent", breakdown: true, order: "asc" });
      expect(report.totals).toMatchObject(known);
      expect(report.rows).toMatchObject([{ ...known, breakdown: [{ cost_usd: 0.015 }, { cost_usd: null }] }]);
    }
    const [unknown] = await claude(CU("go"), house).turns();
    expect(unknown?.usage).toMatchObject({ cost_usd: null, unpriced_models: ["house-model"] });
  });

  it("a response in two files counts on its first day with its largest numbers, in any order of files", async () => {
    const day = (date: string, line: Line): Line => at(`2026-05-${date}T08:00:00.000Z`, line);
    const late = [day("12", CU("go")), day("12", CA("a", { id: "m1", output: 30 }))];
    const early = [day("11", CU("go on")), day("11", CA("b", { id: "m1", output: 50 }))];
    for (const files of [
      { "a.jsonl": late, "b.jsonl": early },
      { "a.jsonl": early, "b.jsonl": late },
    ]) {
      const book = open({ claude: files });
      expect(await output(book)).toEqual({ turns: [50, 0], total: 50 });
      for (const more of [{}, { instances: true }]) {
        const { rows } = await book.usage({ group: "daily", by: "spent", breakdown: false, order: "asc", ...more });
        expect(rows.map((row) => [row.period, row.output_tokens])).toEqual([["2026-05-11", 50]]);
      }
    }
  });

  it("case 93: responses without a message id are distinguished by the record's uuid", async () => {
    const book = claude(CU("go"), CA("a", { id: null, output: 50 }), CA("b", { id: null, output: 50 }));
    expect(await output(book)).toEqual({ turns: [100], total: 100 });
  });

  it("case 93: a reply without message, id or usage counts nothing, and the others still count", async () => {
    const book = claude(
      CU("go"),
      claudeLine("assistant", { message: undefined }),
      CA("a", { id: null, output: 50 }, { uuid: undefined }),
      CA("b", { id: "m1", output: null }),
      CA("c", { id: "m2", output: 40 }),
    );
    expect(await output(book)).toEqual({ turns: [40], total: 40 });
  });
});
