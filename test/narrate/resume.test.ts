import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Budget } from "../../src/narrate/budget.ts";
import { NarrationStopped } from "../../src/narrate/asker.ts";
import { filesOf, narrated, sampleWorkspace, scripted } from "./day.ts";
import { honest } from "./narrator.ts";

class Killed extends Error {}

/** Throws from the given step on, so that nothing more is written, as if the process had been killed. */
function killer(at: number): () => void {
  let steps = 0;
  return () => {
    if (++steps >= at) throw new Killed();
  };
}

/** Checks that the journal has no further entry for a request after its answer. */
function assertAnsweredOnce(workspace: string): void {
  const journal = readFileSync(join(workspace, "narration/journal.jsonl"), "utf8").trim().split("\n");
  const entries = journal.map((line) => JSON.parse(line) as { state: string; request: string });
  const answered = new Set<string>();
  for (const { state, request } of entries) {
    expect(answered).not.toContain(request);
    if (state === "answered") answered.add(request);
  }
}

/** Mulberry32. */
function seeded(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

describe("an interrupted narration", () => {
  it("resumes after any step with the same files, and repeats no answered request", async () => {
    const whole = await sampleWorkspace();
    const untouched = `${whole}-untouched`;
    cpSync(whole, untouched, { recursive: true });
    let steps = 0;
    await narrated(whole, scripted(honest), { step: () => void steps++, concurrency: 1 });
    const expected = filesOf(whole);
    expect(steps).toBeGreaterThan(25);
    for (let at = 1; at <= steps; at++) {
      const workspace = `${whole}-${at}`;
      cpSync(untouched, workspace, { recursive: true });
      await expect(narrated(workspace, scripted(honest), { step: killer(at), concurrency: 1 })).rejects.toThrow(Killed);
      await narrated(workspace, scripted(honest));
      expect(filesOf(workspace)).toEqual(expected);
      assertAnsweredOnce(workspace);
    }
  });

  it("resumes after fifty interruptions in a row, with an agent that lies at first", async () => {
    const answer = (prompt: string): string =>
      prompt.includes("was rejected in these points")
        ? honest(prompt)
        : honest(prompt).replaceAll("The agent", "Skynet 77");
    const whole = await sampleWorkspace();
    const copy = `${whole}-copy`;
    cpSync(whole, copy, { recursive: true });
    await narrated(whole, scripted(answer));
    const random = seeded(7);
    for (let kills = 0; kills < 50; kills++) {
      const step = killer(1 + Math.floor(random() * 6));
      await expect(narrated(copy, scripted(answer), { step })).rejects.toThrow(Killed);
    }
    await narrated(copy, scripted(answer));
    expect(filesOf(copy)).toEqual(filesOf(whole));
    assertAnsweredOnce(copy);
  });

  it("removes unfinished files when it resumes", async () => {
    const workspace = await sampleWorkspace();
    await narrated(workspace, scripted(honest));
    const expected = filesOf(workspace);
    const project = Object.keys(expected).find((name) => name.endsWith("project-synthesis.json")) ?? "";
    for (const name of ["report.md", "narration/answers/0a.json", project])
      writeFileSync(join(workspace, `${name}.4711.new`), "half");
    await narrated(workspace, scripted(honest));
    expect(filesOf(workspace)).toEqual(expected);
  });

  it("that exceeded its budget keeps its answers, and asks only the rest when it resumes", async () => {
    const workspace = await sampleWorkspace();
    const agent = scripted(honest);
    await expect(narrated(workspace, agent, { limits: { usd: null, tokens: 6000 }, concurrency: 1 })).rejects.toThrow(
      NarrationStopped,
    );
    const before = agent.asked.length;
    expect(before).toBeGreaterThan(0);
    await narrated(workspace, agent);
    expect(new Set(agent.asked).size).toBe(agent.asked.length);
    await narrated(workspace, agent);
    expect(agent.asked).toHaveLength(5);
  });

  it("whose agent failed writes no report, and records the failure in the journal", async () => {
    const workspace = await sampleWorkspace();
    const agent = scripted(() => {
      throw new NarrationStopped("no such program", "unreadable");
    });
    await expect(narrated(workspace, agent)).rejects.toThrow("no such program");
    expect(Object.keys(filesOf(workspace))).not.toContain("report.md");
    expect(readFileSync(join(workspace, "narration/journal.jsonl"), "utf8")).toContain('"state":"failed"');
  });
});

it("concurrent requests do not exceed the limit of the agent", async () => {
  let [running, maximum] = [0, 0];
  const agent = scripted(async (prompt) => {
    maximum = Math.max(maximum, ++running);
    await new Promise((resolve) => void setImmediate(resolve));
    running--;
    return honest(prompt);
  });
  await narrated(await sampleWorkspace(), { ...agent, atOnce: 1 }, { concurrency: 4 });
  expect(maximum).toBe(1);
  await narrated(await sampleWorkspace(), agent, { concurrency: 4 });
  expect(maximum).toBe(2);
});

it("a budget counts the reserved tokens of pending requests", () => {
  const budget = new Budget({ usd: null, tokens: 4000 }, null, 0);
  expect(budget.reserve("x".repeat(4000))).toBeNull();
  expect(budget.reserve("x".repeat(4000))).toContain("2500 tokens, and 1500 are left");
  budget.release("x".repeat(4000));
  budget.count("x".repeat(4000), { text: "y", tokens: { input: 10, output: 5 }, cost_usd: null });
  expect(budget.spent).toMatchObject({ input_tokens: 10, output_tokens: 5, cost_usd: null, unpriced: 1 });
  expect(budget.reserve("x".repeat(4000))).toBeNull();
});

it("a budget in dollars needs a cost stated by the agent or a price, and stops when it is unknown", () => {
  const unknown = new Budget({ usd: 1, tokens: null }, null, 0);
  expect(unknown.reserve("a")).toBeNull();
  unknown.count("a", { text: "y", tokens: null, cost_usd: null });
  expect(unknown.spent).toMatchObject({ requests: 1, estimated: 1, unpriced: 1, cost_usd: null });
  expect(unknown.reserve("b")).toContain("not known in dollars");

  const stated = new Budget({ usd: 1, tokens: null }, null, 0);
  stated.count("a", { text: "y", tokens: { input: 1, output: 1 }, cost_usd: 0.5 });
  expect(stated.reserve("b")).toBeNull();
  stated.count("b", { text: "y", tokens: { input: 1, output: 1 }, cost_usd: 0.75 });
  expect(stated.spent).toMatchObject({ estimated: 0, unpriced: 0, cost_usd: 1.25 });
  expect(stated.reserve("c")).toContain("$0.00 are left");

  const priced = new Budget({ usd: 1, tokens: null }, "gpt-5.1-codex", Date.UTC(2026, 4, 12));
  priced.count("a", { text: "y", tokens: { input: 1_000_000, output: 0 }, cost_usd: null });
  expect(priced.spent).toMatchObject({ estimated: 0, reckoned: 1, unpriced: 0, cost_usd: 1.25 });
  expect(priced.reserve("b")).toContain("about $0.02, and $0.00 are left");
});
