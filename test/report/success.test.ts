import { expect, it } from "vitest";
import { FORMATS } from "./formats.ts";
import { month, TRUTH } from "./month.ts";

it("a turn whose last check failed is not shown as a success in any format", async () => {
  const report = await month().report({ date: "2026-09-08" });
  const turn = report.projects.flatMap((project) => project.turns).find((one) => one.last_check?.result === "failed");
  expect(turn?.trigger.text).toContain("migrate the whole aggregation step");
  expect(turn?.outcome).toBe("completed");
  expect(report.totals.unproven).toBe(1);
  const prompt = "wow ok";
  // Where turns are grouped, the last one determines the mark of the group.
  const shown = { "full.txt": prompt, "terminal.txt": "14.2 GB → 1.9 GB", "standup.txt": "Aggregation is migrated" };
  for (const [name, text] of Object.entries(shown)) {
    const line = FORMATS[name]?.(report)
      .split("\n")
      .find((one) => one.includes(text));
    expect(line, name).toContain("!");
    expect(line, name).not.toContain("✓");
  }
  const markdown = FORMATS["report.md"]?.(report) ?? "";
  expect(markdown).toMatch(new RegExp(`### 14:35 ! .*\\n\\n> ${prompt}`));
  expect(markdown).toContain("last check failed");
  expect(FORMATS["report.html"]?.(report)).toMatch(
    /<p class="ended small faint"><span class="wait \w+" title="unproven">!<\/span>last check failed · /,
  );
});

it("a turn whose final message admits failure is marked as having fallen short", async () => {
  const { projects } = await month().report({ since: "2026-09-07", until: "2026-09-18" });
  const truth = new Map(
    TRUTH.sessions.flatMap(({ session, turns }) => turns.map((turn) => [`${session}/${turn.turn}`, turn])),
  );
  const admitted = [...truth].flatMap(([name, { outcome, written_outcome }]) =>
    outcome === "failed" && written_outcome === "completed" ? [name] : [],
  );
  expect(admitted.length).toBe(4);
  const fellShort = projects
    .flatMap((project) => project.turns)
    .filter(({ fell_short }) => fell_short !== null)
    .map((turn) => `${turn.session_id}/${turn.turn_ref}`);
  expect(fellShort).toEqual(expect.arrayContaining(admitted));
  // Two more did not reach their goals either: one could not log in, one ended with a question about how to continue. The
  // scan did: that a scanner ends with 1 says what it found, and the sentence beside it is about something else.
  expect(
    fellShort.filter((name) => !admitted.includes(name)).map((name) => truth.get(name)?.text?.slice(0, 42)),
  ).toEqual([
    "deactivated it in the console. do we have ",
    "Check all repositories for outdated depend",
    "plot august mean temp per station as a map",
  ]);
});
