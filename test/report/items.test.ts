import { describe, expect, it } from "vitest";
import { renderSummary } from "../../src/report/render/summary.ts";
import { displayWidth } from "../../src/text/inert.ts";
import { copyCorpus, open } from "../store/fixture.ts";
import { NO_COLOUR } from "./formats.ts";
import { DAYS, month, TRUTH } from "./month.ts";

// What belongs together and what came of it, as the developer of the month says. `npm run report-quality` tells it by day.
describe("items of a day", () => {
  it("hold every turn once, and those together that truly are one matter", async () => {
    const daybook = month();
    let [ours, both, wanted] = [0, 0, 0];
    for (const date of DAYS) {
      const report = await daybook.report({ date });
      const itemOf = new Map<string, string>();
      for (const { project, turns, items: some } of report.projects) {
        const items = some ?? [];
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
          ours += Number(one.item === other.item);
          wanted += Number(one.goal === other.goal);
          both += Number(one.item === other.item && one.goal === other.goal);
        }
      }
    }
    daybook.close();
    expect(both / ours).toBeGreaterThanOrEqual(0.97);
    expect(both / wanted).toBeGreaterThanOrEqual(0.9);
  });

  it("have turns whose short results say what they are about, and what was denied", async () => {
    const daybook = month();
    const results = new Map<string, string>();
    for (const date of DAYS)
      for (const { turns } of (await daybook.report({ date })).projects)
        for (const { trigger, result } of turns) results.set(trigger.text ?? "", result?.text ?? "");
    daybook.close();
    expect(results.get("ok fix")).toMatch(/^Fixed\. \(before: The tile image is evicted /);
    expect(results.get("close 41 and 44")).toContain("(denied: gh issue close 41 44");
    // What was running when it was stopped, and the request behind which this one makes sense.
    expect(results.get("run the load test now")).toMatch(
      /^Stopped: interrupted before it was done\. It was at: npx autocannon .+ \(on: we need rate limiting /,
    );
    expect(results.get("make it 1h")).toBe(
      "One hour now. (before: 24 hours; on: how long are password reset links valid?)",
    );
    // What says enough, and what was asked in full, needs nothing more.
    expect([...results.values()].filter((text) => text.includes("(before: ")).length).toBeLessThan(30);
  });

  it("never take a command of the human's own for the request a turn goes on", async () => {
    const { projects } = await open(copyCorpus(["codex-0.130.0-tui"]).roots).report({ date: "2026-11-15" });
    const turns = projects.flatMap((project) => project.turns);
    expect(turns.map(({ trigger }) => trigger.kind)).toContain("shell");
    const about = turns.flatMap(({ result }) => /\bon: (.*)\)$/.exec(result?.text ?? "")?.[1] ?? []);
    expect(about).not.toEqual([]);
    expect(about.filter((text) => text.startsWith("!"))).toEqual([]);
  });

  it("stand on one screen, with every project and what is loose on top", async () => {
    const daybook = month();
    for (const date of DAYS) {
      const report = await daybook.report({ date });
      for (const width of [60, 80, 100, 120]) {
        const lines = renderSummary(report, NO_COLOUR, width, 50).trimEnd().split("\n");
        expect(lines.length, `${date} at ${width}`).toBeLessThanOrEqual(54);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        for (const { project } of report.projects) expect(lines.join("\n")).toContain(project);
        const loose = lines.findIndex((line) => line.startsWith("Loose ends"));
        const first = lines.findIndex((line) => / turns? · /.test(line) && !line.includes(" in "));
        expect(loose).toBeGreaterThan(0);
        expect(loose).toBeLessThan(first);
      }
    }
    daybook.close();
  });
});
