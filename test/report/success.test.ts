import { expect, it } from "vitest";
import { FORMATS } from "./formats.ts";
import { month } from "./month.ts";

it("a turn whose last check failed is not shown as a success, in any format", async () => {
  const report = await month().report({ date: "2026-09-08" });
  const turn = report.projects.flatMap((project) => project.turns).find((one) => one.last_check?.result === "failed");
  expect(turn?.trigger.text).toContain("migrate the whole aggregation step");
  expect(turn?.outcome).toBe("completed");
  expect(report.totals.checks_failed).toBe(1);
  const words = "wow ok";
  for (const name of ["terminal.txt", "standup.md"]) {
    const line = FORMATS[name]?.(report)
      .split("\n")
      .find((one) => one.includes(words));
    expect(line, name).toContain("!");
    expect(line, name).not.toContain("✓");
  }
  const markdown = FORMATS["report.md"]?.(report) ?? "";
  expect(markdown).toMatch(new RegExp(`### 14:35 ! .*\\n\\n> ${words}`));
  expect(markdown).toContain("last check failed");
  expect(FORMATS["report.html"]?.(report)).toContain('<span class="mark unproven" title="last check failed">!</span>');
});
