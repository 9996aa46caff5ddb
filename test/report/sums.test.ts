import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Daybook } from "../../src/answers/daybook.ts";
import { A, M, R, write } from "../cases/build.ts";
import { open, scratch } from "../store/fixture.ts";
import { SAMPLE_ROOTS, samples } from "./formats.ts";

const CORPUS = fileURLToPath(new URL("../fixtures/corpus/", import.meta.url));

/** Genuine files of Codex and Claude Code, with sub-agents, forks, resumes and interrupts. */
function corpus(): Daybook {
  const folders = readdirSync(CORPUS);
  const under = (prefix: string): string[] => folders.filter((f) => f.startsWith(prefix)).map((f) => CORPUS + f);
  const roots = { codex: under("codex-"), "claude-code": under("claude-") };
  return new Daybook({ roots, timezone: "UTC", env: {}, home: "/nowhere", now: Date.parse("2027-01-01T00:00:00Z") });
}

function name(t: { source: string; session_id: string; turn_ref: string }): string {
  return `${t.source}/${t.session_id}/${t.turn_ref}`;
}

describe.each([
  ["the samples", (): Daybook => samples(SAMPLE_ROOTS), "2026-05-11", "2026-05-12"],
  ["the corpus", corpus, "2026-11-14", "2026-11-16"],
])("report of %s", (_, make, since, until) => {
  it("has equal token sums by project, by turn, by model and in `usage`", async () => {
    const book = make();
    for (const span of [
      { since, until },
      { since, until: since },
      { since: until, until },
    ]) {
      const report = await book.report(span);
      const usage = await book.usage({ ...span, group: "daily", by: "trigger", breakdown: false, order: "asc" });
      expect(report.totals.usage).toEqual(usage.totals);
      expect(report.balance).toMatchObject({ balanced: true, problems: [] });
      for (const key of ["input_tokens", "cached_input_tokens", "cache_write_tokens", "output_tokens"] as const) {
        const turns = report.projects.flatMap((p) => [...p.turns.map((t) => t.usage_with_children), p.other_usage]);
        const models = report.totals.by_model;
        const total = usage.totals[key];
        expect(report.projects.reduce((n, project) => n + project.totals.usage[key], 0)).toBe(total);
        expect(turns.reduce((n, one) => n + one[key], 0)).toBe(total);
        expect(models.reduce((n, one) => n + one[key], 0)).toBe(total);
      }
    }
  });

  it("contains every trigger of the span once, with the same values as `turns`", async () => {
    const book = make();
    const turns = await book.turns({ since, until });
    const report = await book.report({ since, until });
    const listed = report.projects.flatMap((project) => project.turns);
    expect(listed).not.toEqual([]);
    expect(listed.map(name).toSorted()).toEqual(turns.map(name).toSorted());
    const known = new Map(turns.map((turn) => [name(turn), turn]));
    for (const turn of listed) {
      const { usage, usage_with_children, tools, outcome, trigger } = known.get(name(turn)) ?? {};
      expect(turn).toMatchObject({ usage, usage_with_children, tools, outcome });
      expect(turn.trigger.text).toBe(trigger?.text);
    }
  });
});

describe("a day on which no agent stated what it spent", () => {
  it("has an unknown cost, as its sessions have, and not a cost of zero", async () => {
    const root = scratch("codex");
    write(join(root, "sessions/rollout-silent.jsonl"), [M("silent"), R("go"), A("gone")]);
    const book = open({ codex: [root] }, undefined, { timezone: "UTC" });
    const [session] = await book.sessions();
    const day = await book.report({ date: "2026-05-12" });
    expect([session?.usage.cost_usd, day.totals.usage.cost_usd]).toEqual([null, null]);
    expect(day.projects.map(({ totals }) => totals.usage.cost_usd)).toEqual([null]);
    const week = await book.report({ since: "2026-05-11", until: "2026-05-13" });
    expect(week.days.map(({ usage }) => usage.cost_usd)).toEqual([0, null, 0]);
    expect((await book.report({ date: "2026-05-11" })).totals.usage.cost_usd).toBe(0);
    book.close();
  });
});
