import { describe, expect, it } from "vitest";
import { renderSummary } from "../../src/render/summary.ts";
import { displayWidth } from "../../src/base/text/inert.ts";
import { copyCorpus, open } from "../store/fixture.ts";
import { NO_COLOUR } from "./formats.ts";
import { DAYS, month, TRUTH } from "./month.ts";

// TRUTH.json of the month says which turns share a goal. `npm run report-quality` prints the same comparison by day.
describe("items of a day report", () => {
  it("contain every turn once, and group turns by their true goal", async () => {
    const daybook = month();
    // Pairs of turns: in the same item, both, with the same goal.
    let [sameItem, both, sameGoal] = [0, 0, 0];
    for (const date of DAYS) {
      const report = await daybook.report({ date });
      const itemOf = new Map<string, string>();
      for (const { project, turns, items: optional } of report.projects) {
        const items = optional ?? [];
        expect(items.flatMap((item) => item.turns).toSorted()).toEqual(
          turns.map(({ citation }) => citation).toSorted(),
        );
        for (const turn of turns) {
          const place = items.findIndex((item) => item.turns.includes(turn.citation));
          itemOf.set(`${turn.session_id}/${turn.turn_ref}`, `${project}/${place}`);
        }
        for (const { results } of items)
          for (const { citation } of results) expect(turns.map((turn) => turn.citation)).toContain(citation);
      }
      const known = TRUTH.sessions
        .filter(({ automated }) => !automated)
        .flatMap(({ session, turns }) =>
          turns
            .filter(({ day }) => day === date)
            .map(({ turn, goal }) => ({ goal, item: itemOf.get(`${session}/${turn}`) })),
        );
      for (const [i, one] of known.entries()) {
        for (const other of known.slice(i + 1)) {
          sameItem += Number(one.item === other.item);
          sameGoal += Number(one.goal === other.goal);
          both += Number(one.item === other.item && one.goal === other.goal);
        }
      }
    }
    daybook.close();
    expect(both / sameItem).toBeGreaterThanOrEqual(0.97);
    expect(both / sameGoal).toBeGreaterThanOrEqual(0.9);
  });

  it("complete a short result with its context: the previous answer, the request, denied commands", async () => {
    const daybook = month();
    const results = new Map<string, string>();
    for (const date of DAYS)
      for (const { turns } of (await daybook.report({ date })).projects)
        for (const { trigger, result } of turns) results.set(trigger.text ?? "", result?.text ?? "");
    daybook.close();
    expect(results.get("ok fix")).toMatch(/^Fixed\. \(before: The tile image is evicted /);
    expect(results.get("close 41 and 44")).toContain("(denied: gh issue close 41 44");
    // The command that was running when the turn was interrupted, and the request that this one refers to.
    expect(results.get("run the load test now")).toMatch(
      /^Stopped: interrupted before it was done\. It was at: npx autocannon .+ \(on: we need rate limiting /,
    );
    expect(results.get("make it 1h")).toBe(
      "One hour now. (before: 24 hours; on: how long are password reset links valid?)",
    );
    // Results that are clear by themselves get no context.
    expect([...results.values()].filter((text) => text.includes("(before: ")).length).toBeLessThan(30);
  });

  it("never name a shell command of the human as the request that a turn continues", async () => {
    const { projects } = await open(copyCorpus(["codex-0.130.0-tui"]).roots).report({ date: "2026-11-15" });
    const turns = projects.flatMap((project) => project.turns);
    expect(turns.map(({ trigger }) => trigger.kind)).toContain("shell");
    const about = turns.flatMap(({ result }) => /\bon: (.*)\)$/.exec(result?.text ?? "")?.[1] ?? []);
    expect(about).not.toEqual([]);
    expect(about.filter((text) => text.startsWith("!"))).toEqual([]);
  });

  it("fit on one screen, with every project, and loose ends first", async () => {
    const daybook = month();
    for (const date of DAYS) {
      const report = await daybook.report({ date });
      for (const width of [60, 80, 100, 120]) {
        const lines = renderSummary(report, NO_COLOUR, width, 50).trimEnd().split("\n");
        expect(lines.length, `${date} at ${width}`).toBeLessThanOrEqual(54);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        for (const { project } of report.projects) expect(lines.join("\n")).toContain(project);
        const loose = lines.findIndex((line) => line.startsWith("Waiting for you"));
        const first = lines.findIndex((line) => / requests? · /.test(line) && !line.includes(" in "));
        expect(loose).toBeGreaterThan(0);
        expect(loose).toBeLessThan(first);
      }
    }
    daybook.close();
  });
});
