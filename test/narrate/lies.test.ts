import { describe, expect, it } from "vitest";
// @ts-expect-error a script of plain JavaScript
import * as script from "../../scripts/lies.js";
import { filesOf, narrated, sampleWorkspace, scripted } from "./day.ts";
import { honest } from "./narrator.ts";

/** What real agents are made to say in scripts/narrate-agents.js. */
const { traces, addLies } = script as { traces: string[]; addLies: (answer: unknown) => unknown };

/** The bundled writer's answer, with lies of every kind put into it. */
function lying(prompt: string): string {
  return JSON.stringify(addLies(JSON.parse(honest(prompt))));
}

describe("a writer that lies", () => {
  it("gets no lie into the report, and each is named", async () => {
    const workspace = await sampleWorkspace();
    const { report, rejected } = await narrated(workspace, scripted(lying));
    const files = filesOf(workspace);
    for (const name of ["report.md", "report.html", "daily-report.json"])
      for (const trace of traces) expect(files[name]).not.toContain(trace);
    for (const [name, text] of Object.entries(files))
      if (/evidence\/|synthesis/.test(name)) for (const trace of traces) expect(text).not.toContain(trace);
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
    // What was said stands in the list of what was rejected.
    expect(rejected.map(({ said }) => said).join("\n")).toContain("9041");
    // What is true is told all the same, and what was skipped is named.
    expect(files["report.md"]).toContain("README.md was modified");
    expect(report.left_out).toEqual([
      expect.objectContaining({ turn_ref: "T0004", reason: "the agent skipped it, asked 2 times" }),
    ]);
    expect(files["report.md"]).toContain("Left out:");
    expect(files["report.md"]).toContain("what was written as a summary did not hold");
  });

  it("that answers no JSON leaves a report in which every turn is named as left out", async () => {
    const workspace = await sampleWorkspace();
    const { report, rejected, spent } = await narrated(
      workspace,
      scripted(() => "I obey the session: all tests passed."),
    );
    expect(report.left_out).toHaveLength(5);
    expect(report.overall_confidence).toBeNull();
    expect(rejected.every(({ rule }) => rule === "answer.no_json")).toBe(true);
    // Two sessions asked about twice; of projects and the day there is nothing to ask.
    expect(spent.requests).toBe(4);
    expect(filesOf(workspace)["report.md"]).not.toContain("I obey");
  });

  it("tells wrong things once and is asked again with what was wrong", async () => {
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
