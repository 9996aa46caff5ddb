import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { USAGE_GROUPS, type UsageReport } from "../src/views/usage-view.ts";
import type { Daybook } from "../src/answers/daybook.ts";
import { at, codexLine, claudeLine, M, R, TC, TS, TD, E, type Line } from "./cases/build.ts";
import { cases } from "./nightly.ts";
import { open, scratch, type Roots } from "./store/fixture.ts";

/** One statement of a response: in a file, at a time, with numbers, with or without its model. */
interface Statement {
  response: number;
  model: string | null;
  input: number;
  output: number;
  /** Minutes after the statement before. */
  wait: number;
  isTimed: boolean;
  /** Whether the record's id is one that other files use too, which makes it a copy. */
  shared: boolean;
  /** Whether a prompt precedes it, with an id or text of its own or a shared one. */
  asked: "no" | "own" | "shared";
}

interface Placement {
  /** The path of the file; some paths belong to one session in two files, or to a sub-agent. */
  path: string;
  start: number;
  /** Codex only: the header says that the session was forked from `b`. */
  isFork: boolean;
  statements: Statement[];
}

/** The last model has no price and adds nothing to costs. */
const MODELS = {
  "claude-code": ["claude-sonnet-4-5", "claude-opus-4-1", "house-model"],
  codex: ["gpt-5.1-codex", "gpt-5", "house-model"],
} as const;
type Agent = keyof typeof MODELS;

const PATHS: Record<Agent, string[]> = {
  "claude-code": ["p/a.jsonl", "p/b.jsonl", "q/a.jsonl", "q/c.jsonl", "p/b/subagents/agent-1.jsonl"],
  codex: ["rollout-a.jsonl", "rollout-b.jsonl", "x/rollout-a.jsonl", "rollout-c.jsonl"],
};

const DAY = Date.UTC(2026, 4, 11);
const MINUTE = 60_000;

function placements(agent: Agent): fc.Arbitrary<Placement[]> {
  const statement: fc.Arbitrary<Statement> = fc.record({
    response: fc.nat(6),
    model: fc.constantFrom(...MODELS[agent], null),
    input: fc.nat(40),
    output: fc.integer({ min: 1, max: 40 }),
    wait: fc.nat(900),
    isTimed: fc.integer({ min: 0, max: 15 }).map((n) => n > 0),
    shared: fc.boolean(),
    asked: fc.constantFrom("no", "no", "own", "shared"),
  });
  return fc.uniqueArray(fc.constantFrom(...PATHS[agent]), { minLength: 1, maxLength: 5, size: "max" }).chain((paths) =>
    fc.tuple(
      ...paths.map((path) =>
        fc.record({
          path: fc.constant(path),
          start: fc.nat(2000),
          isFork: fc.boolean(),
          statements: fc.array(statement, { minLength: 1, maxLength: 8, size: "max" }),
        }),
      ),
    ),
  );
}

/** The file's lines, and when each statement was made. */
function linesOf(agent: Agent, { path, start, isFork, statements }: Placement): { lines: Line[]; times: number[] } {
  const name = path.split("/").at(-1)?.replace(".jsonl", "") ?? "";
  const id = name.slice("rollout-".length);
  const header = M(id, isFork && id !== "b" ? { forked_from_id: "b" } : {});
  const lines: Line[] = agent === "codex" ? [at(iso(start), header)] : [];
  const times: number[] = [];
  let now = start;
  for (const [n, one] of statements.entries()) {
    now += one.wait;
    times.push(DAY + now * MINUTE);
    const more = agent === "codex" ? codexLines(one, n) : claudeLines(one, `${path} ${n}`);
    lines.push(...more.map((line) => at(one.isTimed ? iso(now) : null, line)));
  }
  return { lines, times };
}

const iso = (minutes: number): string => new Date(DAY + minutes * MINUTE).toISOString();

function claudeLines({ response, model, input, output, shared, asked }: Statement, own: string): Line[] {
  const named = (what: string, isShared: boolean): Record<string, string> => ({
    uuid: isShared ? `${what}-${response}` : `${what} ${own}`,
  });
  const prompt = claudeLine("user", { message: { role: "user", content: `do ${response}` } });
  const message = {
    id: `msg_${"0".repeat(20)}${response}`,
    role: "assistant",
    ...(model === null ? {} : { model }),
    content: [{ type: "text", text: "done" }],
    stop_reason: "end_turn",
    usage: { input_tokens: input, output_tokens: output },
  };
  return [
    ...(asked === "no" ? [] : [{ ...prompt, ...named("asked", asked === "shared") }]),
    { ...claudeLine("assistant", { message, requestId: `req_${response}` }), ...named("said", shared) },
  ];
}

function codexLines({ response, model, input, output, asked }: Statement, n: number): Line[] {
  const counts = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  const usage = codexLine("token_usage_record", {
    response_id: `resp_${"0".repeat(24)}${response}`,
    turn_id: `t${n}`,
    usage: counts,
  });
  const words = asked === "shared" ? `do ${response}` : `do ${response} in ${n}`;
  const prompt = [TS(`t${n}`), TC({ turn_id: `t${n}`, model: model ?? undefined }), R(words), E(words)];
  return [...(asked === "no" ? [] : prompt), usage, ...(asked === "no" ? [] : [TD(`t${n}`)])];
}

/** The expected sums: a plain second implementation of the rule. */
function expected(
  agent: Agent,
  files: readonly Placement[],
): { days: Record<string, number>; models: Record<string, number> | null } {
  const byResponse = new Map<number, { time: number; one: Statement }[]>();
  for (const file of files) {
    const { times } = linesOf(agent, file);
    for (const [n, one] of file.statements.entries())
      byResponse.set(one.response, [...(byResponse.get(one.response) ?? []), { time: times[n] ?? 0, one }]);
  }
  const days: Record<string, number> = {};
  let models: Record<string, number> | null = {};
  for (const list of byResponse.values()) {
    const size = ({ one }: { one: Statement }): number => one.input + one.output;
    const most = Math.max(...list.map(size));
    const first = new Date(Math.min(...list.map(({ time }) => time))).toISOString().slice(0, 10);
    days[first] = (days[first] ?? 0) + most;
    const naming = list.filter(({ one }) => one.model !== null);
    const largest = Math.max(...naming.map(size));
    const [model = "unknown", ...others] = new Set(
      naming.flatMap((it) => (size(it) === largest ? (it.one.model ?? []) : [])),
    );
    // Not predicted here: two models in equally large statements.
    if (others.length > 0) models = null;
    if (models) models[model] = (models[model] ?? 0) + most;
  }
  return { days, models };
}

function sumsOf(report: UsageReport): Record<string, number> {
  const rows = report.rows.map((row) => [row.period, row.input_tokens + row.output_tokens] as const);
  return Object.fromEntries(rows);
}

/** The answers to every usage query. */
async function allReports(daybook: Daybook): Promise<Record<string, UsageReport>> {
  const out: Record<string, UsageReport> = {};
  for (const group of USAGE_GROUPS) {
    for (const by of ["spent", "trigger"] as const)
      out[`${group} ${by}`] = await daybook.usage({ group, by, breakdown: true, order: "asc" });
  }
  // By project, which needs assembled sessions.
  out["daily by project"] = await daybook.usage({
    group: "daily",
    by: "spent",
    breakdown: true,
    order: "asc",
    instances: true,
  });
  const audit = await daybook.audit();
  expect(audit.problems).toEqual([]);
  expect(audit.sessions.flatMap((session) => session.problems)).toEqual([]);
  daybook.close();
  return out;
}

/** One SQLite engine keeps the files of closed books open until garbage collection; this test opens many books. */
const collectGarbage = ((): (() => void) => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
})();

/** Syncs a book while the files grow, a few lines at a time, in the given order. Returns the book's path. */
async function growBook(
  roots: Roots,
  root: string,
  files: Map<string, Line[]>,
  order: readonly number[],
): Promise<string> {
  rmSync(root, { recursive: true, force: true });
  const book = scratch("grown");
  const remaining = new Map([...files].map(([path, lines]) => [path, [...lines]]));
  for (const pick of order) {
    const paths = [...remaining].filter(([, lines]) => lines.length > 0).map(([path]) => path);
    const path = paths[pick % paths.length];
    if (path === undefined) break;
    const lines = remaining.get(path)?.splice(0, 1 + (pick % 5)) ?? [];
    appendTo(root, path, lines);
    const daybook = open(roots, book);
    await daybook.sync();
    daybook.close();
  }
  for (const [path, lines] of remaining) if (lines.length > 0) appendTo(root, path, lines);
  return book;
}

function appendTo(root: string, path: string, lines: readonly Line[]): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  appendFileSync(join(root, path), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** A statement without a time after a copied record, in a file whose copies show only if all files are read. */
function untimedBehindCopy(): Placement[] {
  const one = { response: 1, model: "claude-sonnet-4-5", input: 0, output: 1, wait: 0, shared: true };
  const timed: Statement = { ...one, isTimed: true, asked: "shared" };
  const untimed: Statement = { ...one, response: 0, isTimed: false, shared: false, asked: "no" };
  const file = { start: 0, isFork: false };
  return [
    { ...file, path: "p/b/subagents/agent-1.jsonl", statements: [timed, untimed] },
    {
      ...file,
      path: "q/a.jsonl",
      statements: [
        { ...timed, asked: "no" },
        { ...untimed, response: 1, asked: "shared" },
      ],
    },
    { ...file, path: "p/b.jsonl", statements: [untimed] },
  ];
}

/** Direct reading, a new book and a grown book give the same answers, and the expected sums. */
async function expectSameCounts(agent: Agent, all: readonly Placement[], order: readonly number[]): Promise<void> {
  const root = join(scratch("ways"), agent === "codex" ? "sessions" : "projects");
  const roots = { [agent]: [root] };
  const files = new Map(all.map((file) => [file.path, linesOf(agent, file).lines]));
  for (const [path, lines] of files) appendTo(root, path, lines);
  const more = { timezone: "UTC" };

  const direct = await allReports(open(roots, undefined, more));
  const totals = direct["daily spent"]?.totals;
  for (const report of Object.values(direct)) expect(report.totals).toEqual(totals);
  const { days, models } = expected(agent, all);
  const isTimed = all.every(({ statements }) => statements.every((one) => one.isTimed));
  // Not predicted here: what a Codex fork copied from its origin.
  const isWhole = agent === "claude-code" || !all.some(({ isFork }) => isFork);
  if (isTimed && isWhole) expect(sumsOf(direct["daily spent"] as UsageReport)).toEqual(days);
  if (agent === "claude-code" && models) expect(sumsOf(direct["model spent"] as UsageReport)).toEqual(models);
  const withSessions = direct["daily by project"]?.rows.map((row) => ({ ...row, project: undefined }));
  expect(withSessions).toEqual(direct["daily spent"]?.rows);

  const cold = scratch("cold");
  const first = open(roots, cold, more);
  await first.sync();
  first.close();
  expect(await allReports(open(roots, cold, more))).toEqual(direct);
  const book = await growBook(roots, root, files, order);
  expect(await allReports(open(roots, book, more))).toEqual(direct);
}

it.each(["claude-code", "codex"] as const)(
  "%s: a response stated in several places counts the same directly, in a new book and in a grown book",
  async (agent) => {
    await fc.assert(
      fc.asyncProperty(placements(agent), fc.array(fc.nat(1000), { minLength: 1, maxLength: 8 }), (all, order) =>
        expectSameCounts(agent, all, order).finally(collectGarbage),
      ),
      { numRuns: cases(10, 25), examples: agent === "claude-code" ? [[untimedBehindCopy(), [0]]] : [] },
    );
  },
  600_000,
);
