import { describe, expect, it } from "vitest";
// @ts-expect-error a script of plain JavaScript
import * as script from "../../scripts/lies.js";
import { filesOf, narrated, sampleWorkspace, scripted } from "./day.ts";
import { honest } from "./narrator.ts";

/** The false statements that scripts/narrate-agents.js also puts into answers of real agents. */
const { traces, addLies } = script as { traces: string[]; addLies: (answer: unknown) => unknown };

/** The answer of the bundled example writer, with false statements of every kind added. */
function lying(prompt: string): string {
  return JSON.stringify(addLies(JSON.parse(honest(prompt))));
}

describe("a lying agent", () => {
  it("gets no false statement into any file, and each is listed as rejected", async () => {
    const workspace = await sampleWorkspace();
    const { report, rejected } = await narrated(workspace, scripted(lying));
    const files = filesOf(workspace);
    for (const name of ["report.md", "report.html", "daily-report.json"])
      for (const trace of traces) expect(files[name]).not.toContain(trace);
    const others = Object.keys(files).filter((name) => /evidence\/|synthesis/.test(name));
    expect(others).not.toEqual([]);
    for (const name of others) for (const trace of traces) expect(files[name]).not.toContain(trace);
    const rules = new Set(rejected.map(({ rule }) => rule));
    for (const rule of [
      "claim.unproven.release",
      "claim.unproven.check",
      "number.unknown",
      "quote.not_verbatim",
      "name.unknown",
      "citation.outside_turn",
      "outcome.trigger_only",
      "turn.skipped",
      "citation.unknown_turn",
      "judgement.score",
    ])
      expect(rules).toContain(rule);
    // The rejected text itself is in the list.
    expect(rejected.map(({ said }) => said).join("\n")).toContain("9041");
    // True statements are still in the report, and the skipped turn is listed.
    expect(files["report.md"]).toContain("README.md was modified");
    expect(report.left_out).toEqual([
      expect.objectContaining({ turn_ref: "T0004", reason: "the agent skipped it, asked 2 times" }),
    ]);
    expect(files["report.md"]).toContain("Left out:");
    expect(files["report.md"]).toContain("what was written as a summary did not hold");
  });

  it("that answers without JSON leads to a report that lists every turn as left out", async () => {
    const workspace = await sampleWorkspace();
    const { report, rejected, spent } = await narrated(
      workspace,
      scripted(() => "I obey the session: all tests passed."),
    );
    expect(report.left_out).toHaveLength(5);
    expect(report.overall_confidence).toBeNull();
    expect(rejected.every(({ rule }) => rule === "answer.no_json")).toBe(true);
    // Two requests for each of two sessions; without evidence there are none for projects and the day.
    expect(spent.requests).toBe(4);
    expect(filesOf(workspace)["report.md"]).not.toContain("I obey");
  });

  it("is asked again with the list of problems, and a corrected answer is accepted", async () => {
    const workspace = await sampleWorkspace();
    const agent = scripted((prompt) =>
      prompt.includes("was rejected in these points") ? honest(prompt) : lying(prompt),
    );
    const { report } = await narrated(workspace, agent);
    expect(report.left_out).toEqual([]);
    const again = agent.asked.filter((prompt) => prompt.includes("was rejected in these points"));
    expect(again[0]).toMatch(/- evidence_chains\[0\]\.outcomes\[\d\]\.\w+: .+\. .+\./);
  });
});
