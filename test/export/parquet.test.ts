import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, describe, expect, it } from "vitest";
import { DaybookError } from "../../src/base/errors.ts";
import { TABLE_NAMES } from "../../src/export/tables.ts";
import * as lines from "../cases/build.ts";
import { copyCorpus, open, scratch } from "../store/fixture.ts";
import { contentOf, exported, filesIn, SOME } from "./exported.ts";

const stored = open(copyCorpus(SOME).roots, scratch("home"));
const lake = await exported(stored, "parquet");

const database = await (await DuckDBInstance.create(":memory:")).connect();
afterAll(() => database.closeSync());
async function ask(sql: string): Promise<Record<string, unknown>[]> {
  return (await database.runAndReadAll(sql)).getRowObjectsJson();
}
const tableIn = (dir: string, name: string): string =>
  `read_parquet('${dir}/${name}/*/*.parquet', hive_partitioning = true)`;

const { M, TC, TS, TD, R, E, A, EA, CALL, OUT, at } = lines;
const id = (n: number): string => `019e2f1c-0000-7000-8000-00000000000${n}`;

/** Hand-written sessions: no genuine one has such times, numbers or lengths. */
function writeSessions(...sessions: lines.Lines[]): Record<string, string[]> {
  const dir = lines.folder();
  for (const [n, session] of sessions.entries())
    lines.write(join(dir, `rollout-2026-05-12T08-00-0${n}-${id(n)}.jsonl`), [M(id(n)), TC(), TS(), ...session]);
  return { codex: [dir] };
}

const turnWith = (text: string): lines.Line[] => [R(text), E(text), A("done"), EA("done"), TD()];

describe("a Parquet export", () => {
  it("has one file for each table and day", () => {
    const files = filesIn(lake);
    for (const name of files)
      expect(name).toMatch(
        /^(?:sessions|turns|tools|usage)\/day=(?:\d{4}-\d\d-\d\d|__HIVE_DEFAULT_PARTITION__)\/part-0000\.parquet$/,
      );
    expect(new Set(files.map((name) => name.split("/")[0]))).toEqual(new Set(TABLE_NAMES));
  });

  it("has typed columns for times, counts, flags and days", async () => {
    const types: Record<string, string[]> = {};
    for (const table of TABLE_NAMES)
      for (const { column_name, column_type } of await ask(`DESCRIBE SELECT * FROM ${tableIn(lake, table)}`))
        (types[String(column_type)] ??= []).push(`${table}.${String(column_name)}`);
    expect(Object.keys(types).toSorted()).toEqual(["BIGINT", "BOOLEAN", "DATE", "DOUBLE", "TIMESTAMP", "VARCHAR"]);
    expect(types["TIMESTAMP"]).toEqual([
      "sessions.started_at",
      "sessions.ended_at",
      "turns.time",
      "turns.ended_at",
      "tools.started_at",
      "usage.time",
    ]);
    expect(types["DATE"]).toEqual(TABLE_NAMES.map((name) => `${name}.day`));
    expect(types["DOUBLE"]).toEqual([
      "sessions.cost_usd",
      "turns.duration_ms",
      "turns.cost_usd",
      "turns.cost_with_children_usd",
      "tools.duration_ms",
      "usage.cost_usd",
    ]);
    expect(types["BOOLEAN"]).toEqual(["tools.expected_exit"]);
    for (const name of ["usage.input_tokens", "usage.cost_picousd", "tools.exit_code", "turns.tools_failed"])
      expect(types["BIGINT"]).toContain(name);
  });

  it("has null for unknown values, not empty texts or zeros", async () => {
    const sessions = await stored.sessions();
    const unknown = sessions.filter(({ usage }) => usage.cost_usd === null).length;
    expect(unknown).toBeGreaterThan(0);
    const [row] = await ask(
      `SELECT count(*) FILTER (cost_usd IS NULL)::int AS unpriced, count(*) FILTER (title = '')::int AS empty FROM ${tableIn(lake, "sessions")}`,
    );
    expect(row).toEqual({ unpriced: unknown, empty: 0 });
    const calls = await stored.tools();
    const [ends] = await ask(`SELECT count(exit_code)::int AS known FROM ${tableIn(lake, "tools")}`);
    expect(ends).toEqual({ known: calls.filter(({ exit_code }) => exit_code !== null).length });
  });

  it("has the same times of turns as the list of turns", async () => {
    const rows = await ask(
      `SELECT turn_ref, session_id, epoch_ms(time)::text AS ms FROM ${tableIn(lake, "turns")} WHERE time IS NOT NULL`,
    );
    const listed = (await stored.turns()).filter(({ trigger }) => trigger.time !== null);
    const name = (session: unknown, ref: unknown, ms: unknown): string => [session, ref, ms].map(String).join(" ");
    expect(rows.map((row) => name(row["session_id"], row["turn_ref"], row["ms"])).toSorted()).toEqual(
      listed.map((turn) => name(turn.session_id, turn.turn_ref, Date.parse(turn.trigger.time ?? ""))).toSorted(),
    );
  });

  it("has one file with several row groups for a day with much text", async () => {
    const text = (n: number): string => `${n} ${"lorem ipsum ".repeat(200_000)}`;
    const daybook = open(writeSessions(...Array.from({ length: 8 }, (_, n) => turnWith(text(n)))));
    const dir = await exported(daybook, "parquet", {}, { hide: (value) => value, tables: ["turns"] });
    expect(filesIn(dir)).toEqual(["turns/day=2026-05-12/part-0000.parquet"]);
    const [row] = await ask(
      `SELECT count(*)::int AS n, sum(length(prompt))::int AS size FROM ${tableIn(dir, "turns")}`,
    );
    expect(row).toEqual({ n: 8, size: 8 * text(0).length });
    const groups = await ask(`SELECT DISTINCT row_group_id FROM parquet_metadata('${dir}/turns/*/*.parquet')`);
    expect(groups.length).toBe(2);
  });

  it("finds any text although readers skip row groups by their minimum and maximum", async () => {
    const texts = ["Ｚulu", "😀 app", "plain", "é"];
    const dir = await exported(open(writeSessions(...texts.map(turnWith))), "parquet");
    for (const text of texts)
      expect(await ask(`SELECT prompt FROM ${tableIn(dir, "turns")} WHERE prompt = '${text}'`)).toEqual([
        { prompt: text },
      ]);
  });

  it("takes dates far in the future, and has null for numbers over 64 bits", async () => {
    const far = turnWith("far").map((line) => at("9999-12-30T00:00:00.000Z", line));
    const call = [
      R("go"),
      E("go"),
      CALL("c", "exec_command", { cmd: "x" }),
      OUT("c", `Process exited with code ${"9".repeat(30)}\nOutput:\n`),
      TD(),
    ];
    const dir = await exported(open(writeSessions(far, call)), "parquet");
    const rows = await ask(`SELECT prompt, day::text AS day FROM ${tableIn(dir, "turns")} ORDER BY prompt`);
    expect(rows).toEqual([
      { prompt: "far", day: "9999-12-30" },
      { prompt: "go", day: "2026-05-12" },
    ]);
    expect(await ask(`SELECT call_id, exit_code FROM ${tableIn(dir, "tools")}`)).toEqual([
      { call_id: "c", exit_code: null },
    ]);
  });
});

describe("a day in Parquet that is exported again", () => {
  it("is replaced with all its parts, and other files are left alone", async () => {
    const dir = await exported(stored, "parquet", {}, { tables: ["usage"] });
    const before = contentOf(dir);
    const [first = ""] = filesIn(dir);
    const day = first.split("/")[1]?.slice("day=".length) ?? "";
    writeFileSync(join(dir, "usage", `day=${day}`, "part-0001.parquet"), "of an earlier export");
    writeFileSync(join(dir, "usage", `day=${day}`, "notes.txt"), "mine");
    writeFileSync(join(dir, first), "half a file");
    await exported(stored, "parquet", { since: day, until: day }, { tables: ["usage"], out: dir, force: true });
    expect(readFileSync(join(dir, "usage", `day=${day}`, "notes.txt"), "utf8")).toBe("mine");
    const { [`usage/day=${day}/notes.txt`]: _, ...after } = contentOf(dir);
    expect(after).toEqual(before);
  });

  it("is unchanged if the export fails", async () => {
    const dir = await exported(stored, "parquet", { limit: 3 });
    const before = contentOf(dir);
    const failing = { out: dir, force: true, hide: failsAfter(40) };
    await expect(exported(stored, "parquet", {}, failing)).rejects.toThrow("no more");
    expect(contentOf(dir)).toEqual(before);
  });
});

it("an export that fails leaves no files and no directory", async () => {
  for (const format of ["jsonl", "csv", "atif", "otel"]) {
    const out = join(scratch("export"), "new", "out");
    await expect(exported(stored, format, {}, { out, hide: failsAfter(200) })).rejects.toThrow("no more");
    expect([format, existsSync(join(out, ".."))]).toEqual([format, false]);
  }
});

/** Fails like a full disk: the error affects all that follows. */
function failsAfter(n: number): <T>(value: T) => T {
  let left = n;
  return (value) => {
    if (left-- > 0) return value;
    throw new DaybookError("no more", { code: "internal", op: "test", everywhere: true });
  };
}
