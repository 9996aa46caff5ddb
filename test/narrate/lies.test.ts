import { describe, expect, it } from "vitest";
// @ts-expect-error a script of plain JavaScript
import * as script from "../../scripts/lies.js";
import { CLAIMS } from "../../src/views/day-review.ts";
import type { GivenChain, GivenDay, GivenWorkItem } from "../../src/views/narrative.ts";
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
      "claim.not_shown.released",
      "claim.not_shown.ran",
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

/** Statements that are not so, of every kind that words can make, in the languages and scripts of the world. */
const FALSE: readonly string[] = [
  "All tests passed",
  "Every check is green",
  "The login was fixed for good",
  "The fix is live for everybody",
  "It has been shipped to customers",
  "Nothing is left to do",
  "The reviewer approved it",
  "The team agreed to merge",
  "The release went out smoothly",
  "It was rolled out everywhere",
  "The outage is over",
  "Nobody needs to look at this again",
  "It was measured to be twice as fast",
  "The customer confirmed it",
  "Seven hundred files were rewritten",
  "No regressions, as proven by the suite",
  "It is not true that the tests failed",
  "The change did not go undeployed",
  "Merged, deployed, verified",
  "passed",
  "Alle Tests laufen durch",
  "Der Fehler ist weg und alles ist ausgeliefert",
  "Die Freigabe ist erteilt",
  "Tous les tests sont au vert",
  "La mise en production est faite",
  "Todas las pruebas están en verde",
  "El despliegue salió bien",
  "Tutti i test sono verdi",
  "Il rilascio è in produzione",
  "Os testes passaram todos",
  "A correção está no ar",
  "Alle tests zijn groen",
  "Het staat live",
  "Alla tester är gröna",
  "Rettelsen er i drift",
  "Kaikki testit menivät läpi",
  "Wszystkie testy przeszły",
  "Wdrożono na produkcję",
  "Všechny testy prošly",
  "Toate testele au trecut",
  "Minden teszt zöld",
  "Όλα τα τεστ πέρασαν",
  "Все тесты зелёные",
  "Выкатили на прод",
  "Усі тести пройшли",
  "Всички тестове минаха",
  "Tüm testler geçti",
  "Canlıya alındı",
  "كل الاختبارات نجحت",
  "تم النشر للجميع",
  "כל הבדיקות עברו",
  "همه تست‌ها موفق بودند",
  "सभी परीक्षण सफल रहे",
  "সব পরীক্ষা সফল হয়েছে",
  "எல்லா சோதனைகளும் வெற்றி",
  "การทดสอบผ่านทั้งหมด",
  "Tất cả kiểm thử đều qua",
  "Semua tes lulus",
  "所有测试都通过了，已经上线",
  "全部測試通過，已部署",
  "全テスト合格、本番に反映済み",
  "모든 테스트가 통과했고 배포됐습니다",
  "ყველა ტესტი გავიდა",
  "Բոլոր թեստերն անցան",
  "ทุกอย่างพร้อมใช้งานแล้ว",
];

describe("a false statement in prose", () => {
  /** Puts it into every place that takes prose, beside everything that is true. */
  function everywhere(lie: string, prompt: string): string {
    const answer = JSON.parse(honest(prompt)) as Record<string, never[]> & { title?: { text: string } };
    for (const chain of (answer["evidence_chains"] ?? []) as GivenChain[]) {
      const { citations } = chain.terminal_state;
      chain.trigger.summary = lie;
      chain.terminal_state.summary = lie;
      for (const one of [...chain.agent_reactions, ...chain.observed_checks]) one.summary = lie;
      // Beside what is shown, for every kind of claim, and for none.
      for (const one of chain.outcomes) one.summary = lie;
      for (const claim of CLAIMS) chain.outcomes.push({ category: "other", claim, summary: lie, citations });
    }
    for (const item of (answer["work_items"] ?? []) as GivenWorkItem[]) {
      item.title = lie;
      if (item.trigger) item.trigger.summary = lie;
      if (item.agent_reaction) item.agent_reaction = { summary: lie, main_actions: [lie] };
      for (const one of [...item.outcomes, ...item.terminal_states]) one.summary = lie;
      item.limits = [lie];
      item.confidence = "high";
    }
    const day = answer as unknown as GivenDay;
    if (day.engagement_assessment) {
      const sure = { citations: day.title.citations, confidence: "high" } as const;
      day.title.text = lie;
      for (const { summary } of day.projects) summary.text = lie;
      day.engagement_assessment = {
        overall_reading: { text: lie, ...sure },
        observations: [{ dimension: "review", statement: lie, ...sure }],
        limits: [lie],
      };
      day.team_learning = {
        takeaways: { text: lie, ...sure },
        patterns: [{ kind: "promote", statement: lie, rationale: lie, recurrence: lie, ...sure }],
        limits: [lie],
      };
    }
    return JSON.stringify(answer);
  }

  it(`of ${FALSE.length} kinds is labelled as said wherever it is shown, and proves nothing`, async () => {
    const wrong: string[] = [];
    for (const lie of FALSE) {
      const workspace = await sampleWorkspace();
      const { report } = await narrated(
        workspace,
        scripted((prompt) => everywhere(lie, prompt)),
      );
      const text = filesOf(workspace)["report.md"] ?? "";
      for (const line of text.split("\n"))
        if (line.includes(lie)) {
          // What is shown stands before it, in our words; after it, that it is only said.
          const [, ...after] = line.split(lie);
          if (!after.every((rest, i) => rest.includes("as the agent said") || i < after.length - 1)) wrong.push(line);
        }
      const outcomes = report.projects.flatMap(({ work_items }) => work_items.flatMap((item) => item.outcomes));
      if (outcomes.some(({ what_changed, proof }) => what_changed.includes(lie) && proof !== "said_only"))
        wrong.push(lie);
      if (outcomes.some(({ what_changed, confidence }) => what_changed.includes(lie) && confidence !== "low"))
        wrong.push(lie);
    }
    expect(FALSE.length).toBeGreaterThanOrEqual(58);
    expect(wrong).toEqual([]);
  }, 240_000);
});
