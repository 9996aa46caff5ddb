import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { copyCorpus, open, scratch } from "../store/fixture.ts";
import { trajectory, type Trajectory } from "./atif-schema.ts";
import { contentOf, exported, filesIn, microOf, printed, SOME, totalsOf } from "./exported.ts";

const { roots } = copyCorpus(SOME);
const stored = open(roots, scratch("home"));

function documentsIn(dir: string): Trajectory[] {
  return filesIn(dir).map((name) => trajectory.parse(JSON.parse(readFileSync(join(dir, name), "utf8"))));
}

/** A document and all trajectories nested in it. */
function all(document: Trajectory): Trajectory[] {
  return [document, ...(document.subagent_trajectories ?? []).flatMap(all)];
}

it("ATIF documents are valid, contain every session once and add up to the totals of usage", async () => {
  const dir = await exported(stored, "atif");
  const documents = documentsIn(dir);
  const written = documents.flatMap(all);
  const sessions = await stored.sessions();
  const names = sessions.map(({ source, session_id }) => `${source}/${session_id}`);
  expect(written.map(({ trajectory_id = "" }) => trajectory_id).toSorted()).toEqual(names.toSorted());
  const metrics = written.flatMap(({ steps }) => steps.flatMap((step) => step.metrics ?? []));
  const sum = (of: (one: (typeof metrics)[number]) => unknown): bigint =>
    metrics.reduce((total, one) => total + BigInt(Number(of(one) ?? 0)), 0n);
  const [prompt, cached, cacheWrite] = [
    sum((one) => one.prompt_tokens),
    sum((one) => one.cached_tokens),
    sum((one) => one.extra?.["cache_write_tokens"]),
  ];
  expect({
    input: (prompt ?? 0n) - (cached ?? 0n) - (cacheWrite ?? 0n),
    cached,
    written: cacheWrite,
    output: sum((one) => one.completion_tokens),
    reasoning: sum((one) => one.extra?.["reasoning_tokens"]),
    micro: microOf(sum((one) => one.extra?.["cost_picousd"])),
  }).toEqual(await totalsOf(stored, {}));
  // The cost of a document includes all sessions in it.
  const total = documents.reduce((usd, { final_metrics }) => usd + (final_metrics?.total_cost_usd ?? 0), 0);
  expect(Math.round(total * 1e6)).toBe(Number((await totalsOf(stored, {}))["micro"]));
  expect(contentOf(await exported(open(roots), "atif"))).toEqual(contentOf(dir));
});

it("ATIF documents contain tool calls, and results that refer to nested sub-agents", async () => {
  const documents = documentsIn(await exported(stored, "atif"));
  const steps = documents.flatMap(all).flatMap((one) => one.steps);
  const calls = steps.flatMap((step) => step.tool_calls ?? []);
  const listed = await stored.tools();
  expect(calls.length).toBeGreaterThan(listed.length * 0.9);
  const results = steps.flatMap((step) => step.observation?.results ?? []);
  const refs = results.flatMap((one) => one.subagent_trajectory_ref ?? []);
  const inside = new Set(documents.flatMap((one) => all(one).slice(1)).map(({ trajectory_id }) => trajectory_id));
  expect(inside.size).toBeGreaterThan(3);
  expect(refs.filter(({ trajectory_id }) => inside.has(trajectory_id)).length).toBeGreaterThan(3);
});

it("printed ATIF documents are one line each", async () => {
  const text = await printed(stored, "atif", { limit: 5 });
  for (const line of text.trimEnd().split("\n")) expect(trajectory.safeParse(JSON.parse(line)).success).toBe(true);
});

it("the ATIF schema of these tests rejects invalid documents", () => {
  const step = { step_id: 1, source: "user", message: "" };
  const document = { schema_version: "ATIF-v1.8", agent: { name: "a", version: "1" }, steps: [step] };
  const isRight = (changed: object): boolean => trajectory.safeParse({ ...document, ...changed }).success;
  expect(isRight({})).toBe(true);
  for (const wrong of [
    { steps: [] },
    { other: 1 },
    { steps: [{ ...step, step_id: 2 }] },
    { steps: [{ ...step, tool_calls: [] }] },
  ])
    expect([wrong, isRight(wrong)]).toEqual([wrong, false]);
});
