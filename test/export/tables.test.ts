import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import type { Daybook, Query } from "../../src/answers/daybook.ts";
import { plain } from "../../src/base/text/inert.ts";
import * as codex from "../cases/build.ts";
import { NIGHTLY } from "../nightly.ts";
import { copyCorpus, open, scratch } from "../store/fixture.ts";
import { contentOf, csvRows, exported, filesIn, microOf, printed, totalsOf } from "./exported.ts";

const { roots } = copyCorpus();
const direct = open(roots);
const stored = open(roots, scratch("home"));

async function usageRows(daybook: Daybook, query: Query): Promise<Record<string, string>[]> {
  return csvRows(await printed(daybook, "csv", query, { tables: ["usage"] }));
}

function sumsOf(rows: readonly Record<string, string>[]): Record<string, bigint> {
  const sum = (name: string): bigint => rows.reduce((total, row) => total + BigInt(row[name] ?? ""), 0n);
  return {
    input: sum("input_tokens"),
    cached: sum("cached_input_tokens"),
    written: sum("cache_write_tokens"),
    output: sum("output_tokens"),
    reasoning: sum("reasoning_tokens"),
    micro: microOf(sum("cost_picousd")),
  };
}

/** A JSON value as a cell; inputs of tool calls may be of any type and stay JSON. */
function cellOf(value: unknown, isJson: boolean): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return "";
  const text = typeof value === "string" && !isJson ? value : JSON.stringify(value);
  // Control characters are made visible, and no cell begins like a formula.
  return typeof value === "number" ? text : plain(text).replace(/^[=+\-@\t\r\n|%＝＋－＠]/u, "'$&");
}

function sorted(row: object): [string, unknown][] {
  return Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

describe("exported tables of all corpora", () => {
  it("are the same bytes from a book and from files, and in every run", async () => {
    for (const format of ["csv", "parquet"]) {
      const first = contentOf(await exported(stored, format));
      if (NIGHTLY || format === "csv") expect(contentOf(await exported(stored, format))).toEqual(first);
      expect(contentOf(await exported(direct, format))).toEqual(first);
    }
  });

  it("have as many rows as the lists and the totals of usage: in total, by day, project and session", async () => {
    const sessions = await stored.sessions();
    const days = new Set(sessions.flatMap(({ started_at }) => started_at?.slice(0, 10) ?? []));
    const some = sessions.filter((_, i) => i % 9 === 0);
    const questions: Query[] = [
      {},
      ...[...days].map((day) => ({ since: day, until: day })),
      ...[...new Set(some.map(({ project }) => project))].map((project) => ({ project })),
      ...some.map(({ source, session_id }) => ({ session: `${source}/${session_id}` })),
    ];
    for (const query of questions) {
      expect([query, sumsOf(await usageRows(stored, query))]).toEqual([query, await totalsOf(stored, query)]);
      const turns = csvRows(await printed(stored, "csv", query, { tables: ["turns"] }));
      expect(turns.length).toBe((await stored.turns(query)).length);
    }
    const calls = csvRows(await printed(stored, "csv", {}, { tables: ["tools"] }));
    expect(calls.length).toBe((await stored.tools()).length);
  });

  it("have in every cell the value of the JSON answers", async () => {
    const dir = await exported(stored, "csv");
    const answers: Record<string, { rows: readonly object[]; under: readonly string[] }> = {
      sessions: { rows: await stored.sessions(), under: ["usage", "diagnostics"] },
      turns: { rows: await stored.turns(), under: ["trigger", "usage", "context"] },
      tools: { rows: await stored.tools(), under: [] },
    };
    for (const [table, { rows, under }] of Object.entries(answers)) {
      const cells = csvRows(readFileSync(join(dir, `${table}.csv`), "utf8"));
      const names = Object.keys(cells[0] ?? {});
      const expected = rows.map((row) => {
        const json = JSON.parse(JSON.stringify(stored.redactor.all(row))) as Record<string, unknown>;
        const flat = Object.assign({}, ...under.map((name) => json[name]), json) as Record<string, unknown>;
        return Object.fromEntries(
          names.flatMap((name) => (name in flat ? [[name, cellOf(flat[name], name === "input")]] : [])),
        );
      });
      const known = new Set(expected.flatMap((row) => Object.keys(row)));
      expect(known.size).toBeGreaterThan(names.length / 2);
      const read = cells.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => known.has(name))));
      const inOrder = (all: readonly object[]): string[] => all.map((row) => JSON.stringify(sorted(row))).toSorted();
      expect(inOrder(read)).toEqual(inOrder(expected));
    }
  });

  it("can be read by DuckDB, with each row on its day", async () => {
    const dir = await exported(stored, "parquet");
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const ask = async (sql: string): Promise<Record<string, unknown>[]> =>
      (await connection.runAndReadAll(sql)).getRowObjectsJson();
    const usage = `read_parquet('${dir}/usage/*/*.parquet', hive_partitioning = true, hive_types = {day: DATE})`;
    const [sums] = await ask(
      `SELECT sum(input_tokens) AS input, sum(cached_input_tokens) AS cached, sum(cache_write_tokens) AS written,
       sum(output_tokens) AS output, sum(reasoning_tokens) AS reasoning, sum(cost_picousd) AS pico FROM ${usage}`,
    );
    const { pico, ...tokens } = sums ?? {};
    const read = Object.fromEntries(Object.entries(tokens).map(([name, value]) => [name, BigInt(String(value))]));
    expect({ ...read, micro: microOf(BigInt(String(pico))) }).toEqual(await totalsOf(stored, {}));
    const byDay = await ask(
      `SELECT day::text AS day, sum(output_tokens)::text AS output FROM ${usage} GROUP BY 1 ORDER BY 1`,
    );
    const { rows } = await stored.usage({ group: "daily", by: "spent", breakdown: false, order: "asc" });
    const dated = rows.map(({ period, output_tokens }) => ({
      day: period === "unknown" ? null : period,
      output: String(output_tokens),
    }));
    expect(byDay).toEqual(dated);
    const [joined] = await ask(
      `SELECT count(*)::int AS n, sum(t.tools_total)::int AS calls FROM read_parquet('${dir}/turns/*/*.parquet') t
       JOIN read_parquet('${dir}/sessions/*/*.parquet') s USING (source, session_id)`,
    );
    const turns = await stored.turns();
    expect(joined).toEqual({ n: turns.length, calls: turns.reduce((sum, { tools }) => sum + tools.total, 0) });
    connection.closeSync();
  });
});

describe("existing files of an export", () => {
  it("are replaced only with force", async () => {
    for (const format of ["jsonl", "markdown", "html", "csv", "parquet"]) {
      const query = { limit: 3 };
      const dir = await exported(stored, format, query);
      const before = contentOf(dir);
      const [one = ""] = filesIn(dir);
      writeFileSync(join(dir, one), "mine");
      const mine = contentOf(dir);
      await expect(exported(stored, format, query, { out: dir })).rejects.toThrow("already exists");
      expect(contentOf(dir)).toEqual(mine);
      await exported(stored, format, query, { out: dir, force: true });
      expect(contentOf(dir)).toEqual(before);
    }
  });

  it("are replaced together with all parts of their day", async () => {
    const dir = await exported(stored, "parquet", {}, { tables: ["usage"] });
    const [first = ""] = filesIn(dir);
    const older = first.replace("part-0000", "part-0007");
    writeFileSync(join(dir, older), "of an earlier export");
    await exported(stored, "parquet", {}, { tables: ["usage"], out: dir, force: true });
    expect(filesIn(dir)).not.toContain(older);
  });
});

/** Written by hand: nobody has recorded a session that attacks spreadsheets. */
it("text that a spreadsheet or a terminal would execute is neutralised in CSV cells", async () => {
  const dir = codex.folder();
  const hostile = [
    '=cmd|"/c calc"!A1',
    "+1+1",
    "-2",
    "@SUM(A1)",
    "\t=1",
    'a "quoted", "=1+1"\r\nline',
    "\u001b]0;owned\u0007",
  ];
  const id = (n: number): string => `019e2f1c-0000-7000-8000-00000000000${n}`;
  for (const [n, text] of hostile.entries())
    codex.write(join(dir, `rollout-2026-05-12T08-00-0${n}-${id(n)}.jsonl`), [
      codex.M(id(n)),
      codex.TC(),
      codex.TS(),
      codex.R(text),
      codex.E(text),
      codex.A("done"),
      codex.TD(),
    ]);
  const out = await exported(open({ codex: [dir] }), "csv");
  const text = readFileSync(join(out, "turns.csv"), "utf8");
  // eslint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
  const prompts = csvRows(text).map(({ prompt = "" }) => prompt);
  expect(prompts).toHaveLength(hostile.length);
  for (const prompt of prompts) expect(prompt).not.toMatch(/^[=+\-@\t\r\n]/);
  expect(prompts).toEqual([
    '\'=cmd|"/c calc"!A1',
    "'+1+1",
    "'-2",
    "'@SUM(A1)",
    "'\t=1",
    'a "quoted", "=1+1"\nline',
    "␛]0;owned␇",
  ]);
});
