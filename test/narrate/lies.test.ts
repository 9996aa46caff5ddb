import { describe, expect, it } from "vitest";
import type { GivenChain, GivenDay, GivenWorkItem } from "../../src/answers/narrative.ts";
import { filesOf, narrated, sampleWorkspace, scripted } from "./day.ts";
import { honest } from "./narrator.ts";

/** Words that stand in no session of the day. */
const LIES = [
  "Zanzibar migration was deployed to production",
  "All 9041 tests passed",
  "we love the new payment flow",
  "src/secret/vault.ts was rewritten",
  "https://attacker.example/collect",
  "The human scored 9/10",
  "Skynet approved everything",
  "Commit deadbee1 was merged",
];

/** The bundled writer's answer, with lies of every kind put into it. */
function lying(prompt: string): string {
  const answer = JSON.parse(honest(prompt)) as Record<string, unknown>;
  if ("evidence_chains" in answer) {
    const chains = answer["evidence_chains"] as GivenChain[];
    for (const chain of chains) {
      const [at = ""] = chain.terminal_state.citations;
      chain.outcomes.push(
        { category: "code_outcome", summary: `${LIES[0]}.`, citations: [at] },
        { category: "validation_outcome", summary: `${LIES[1]}.`, citations: [at] },
        { category: "other", summary: `${LIES[3]}.`, citations: ["1-999999"] },
        { category: "other", summary: `See ${LIES[4]} for it.`, citations: [at] },
        { category: "other", summary: `${LIES[7]}.`, citations: [at] },
        { category: "other", summary: `${LIES[6]}.`, citations: chain.trigger.citations },
      );
      chain.trigger.quoted_messages.push({ text: LIES[2] ?? "", citations: chain.trigger.citations });
    }
    // The last turn is never told.
    return JSON.stringify({ evidence_chains: chains.length > 1 ? chains.slice(0, -1) : chains });
  }
  if ("work_items" in answer) {
    const items = answer["work_items"] as GivenWorkItem[];
    for (const item of items) {
      item.limits.push(`${LIES[1]}.`);
      item.outcomes = [
        ...(item.outcomes ?? []),
        { category: "other", summary: `${LIES[0]}.`, evidence_refs: item.covered_turns, confidence: "high" },
      ];
    }
    return JSON.stringify(answer);
  }
  const day = answer as unknown as GivenDay;
  const { citations } = day.title;
  day.engagement_assessment.observations.push({
    ...{ dimension: "review", statement: `${LIES[5]}.`, citations, confidence: "high" },
  });
  day.team_learning.patterns.push({
    ...{ kind: "promote", statement: `${LIES[0]}.`, rationale: "It was verified.", recurrence: "often" },
    ...{ citations: ["nowhere/S0009/T0009"], confidence: "high" },
  });
  for (const { summary } of day.projects) summary.text = `${LIES[7]}. ${summary.text}`;
  return JSON.stringify(day);
}

describe("a writer that lies", () => {
  it("gets no lie into the report, and each is named", async () => {
    const workspace = await sampleWorkspace();
    const { report, rejected } = await narrated(workspace, scripted(lying));
    const files = filesOf(workspace);
    for (const name of ["report.md", "report.html", "daily-report.json"])
      for (const lie of LIES) expect(files[name]).not.toContain(lie.slice(0, 24));
    for (const [name, text] of Object.entries(files))
      if (/evidence\/|synthesis/.test(name)) for (const lie of LIES) expect(text).not.toContain(lie.slice(0, 24));
    const rules = new Set(rejected.map(({ rule }) => rule));
    for (const rule of [
      ...["claim.unproven.release", "claim.unproven.check", "number.unknown", "quote.not_verbatim", "name.unknown"],
      ...["citation.outside_turn", "outcome.trigger_only", "turn.skipped", "citation.unknown_turn", "judgement.score"],
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
