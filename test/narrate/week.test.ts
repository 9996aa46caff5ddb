import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { GivenWeek } from "../../src/views/narrative.ts";
import { Prompts } from "../../src/narrate/prompts.ts";
import { narrateWeek } from "../../src/narrate/week.ts";
import { Redactor } from "../../src/base/redact/redact.ts";
import { narrated, sampleWorkspace, scripted } from "./day.ts";
import { honest } from "./narrator.ts";

it("a weekly narrative is written from the narratives of its days, without false statements", async () => {
  const workspace = await sampleWorkspace();
  await narrated(workspace, scripted(honest));
  const agent = scripted((prompt) => {
    const answer = JSON.parse(honest(prompt)) as GivenWeek;
    const citations = answer.title.citations;
    answer.threads = answer.threads.slice(0, 6);
    answer.threads.push(
      { text: "All 9041 tests passed.", citations, confidence: "high" },
      { text: "Work went on.", citations: ["2026-05-12/nowhere/S0001/T0001"], confidence: "high" },
    );
    return JSON.stringify(answer);
  });
  const folder = join(dirname(workspace), "week-2026-05-11");
  const options = {
    folder,
    since: "2026-05-11",
    until: "2026-05-17",
    days: [workspace],
    agent,
    now: 0,
    attempts: 2,
    prompts: new Prompts(null, "de"),
    redactor: new Redactor(),
    concurrency: 1,
    limits: { usd: null, tokens: null },
  };
  const { report, rejected } = await narrateWeek(options);
  expect(report.title?.citations[0]).toMatchObject({ report_date: "2026-05-12", lines: "33-59" });
  expect(report.threads.length).toBeGreaterThan(2);
  // A check did pass in the cited turn, so only the number is rejected.
  expect(new Set(rejected.map(({ rule }) => rule))).toEqual(new Set(["number.unknown", "citation.unknown_turn"]));
  const text = readFileSync(join(folder, "report.md"), "utf8");
  expect(text).not.toContain("9041");
  expect(text).toContain("](../2026-05-12/report.md)");
  expect(agent.asked[0]).toContain("Write texts in German (de).");
  // A second run repeats no answered request.
  await narrateWeek(options);
  expect(agent.asked).toHaveLength(2);
});
