import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DecisionView } from "../src/views/decision-view.ts";
import { readAnswer } from "../src/turns/decisions/prose/answer.ts";
import { readReply } from "../src/turns/decisions/prose/reply.ts";
import { shortAnswers } from "../src/turns/decisions/prose/words.ts";
import {
  A,
  CA,
  claude,
  codex,
  CU,
  CT,
  E,
  event,
  M,
  only,
  open,
  R,
  TD,
  toolUse,
  TS,
  type Lines,
} from "./cases/build.ts";

const OPTIONS =
  "The cache can live in two places:\n\n1. in Redis, shared by all\n2. in memory, per process\n\nWhich one?";

function exchange(reply: string, prompt: string): Lines {
  return [CU("where does the cache go?"), CA(reply), CU(prompt), CA("All right.")];
}

async function prose(...lines: Lines): Promise<DecisionView[]> {
  return (await claude(...lines).decisions()).filter(({ tier }) => tier === "prose");
}

describe("a decision in prose", () => {
  it("has the question, the options, the choice and both lines, and belongs to the turn of the answer", async () => {
    const found = only(await prose(...exchange(OPTIONS, "the second")));
    expect(found).toMatchObject({
      title: "Which one?",
      options: [{ label: "in Redis, shared by all" }, { label: "in memory, per process" }],
      choice: "in memory, per process",
      free_text: "the second",
      answered: true,
      asked_line: 2,
      answered_line: 3,
      turn_ref: "T0002",
    });
    expect(found.question_id).toMatch(/^prose-[0-9a-f]{10}$/);
  });

  it("is made by whatever prompt comes next, and by no later one", async () => {
    const away = CU("what would Redis cost?");
    expect(await prose(...exchange(OPTIONS, "what would Redis cost?"), CU("2"), CA("Done."))).toEqual([]);
    expect(await prose(CU("where?"), CA(OPTIONS), CU("2"), CU("[Request interrupted by user]"), away)).toMatchObject([
      { choice: "in memory, per process", answered_line: 3 },
    ]);
  });

  it("may be answered in a file in which the session was resumed", async () => {
    const first = [M("s"), TS(), R("where?"), E("where?"), A(OPTIONS), TD()];
    const second = [M("s"), TS(), R("2"), E("2"), A("Done."), TD()];
    const daybook = open({ codex: { "a.jsonl": first, "b.jsonl": second } });
    const found = (await daybook.decisions()).filter(({ tier }) => tier === "prose");
    expect(found).toMatchObject([{ choice: "in memory, per process", turn_ref: "T0002" }]);
  });

  it("is taken back with the prompt that made it", async () => {
    const turn = (prompt: string, reply: string): Lines => [TS(), R(prompt), E(prompt), A(reply), TD()];
    const lines = [
      M("s"),
      ...turn("where?", OPTIONS),
      ...turn("1", "Done."),
      event("thread_rolled_back", { num_turns: 1 }),
    ];
    const found = await codex(...lines, ...turn("2", "Done.")).decisions();
    expect(found.map(({ choice }) => choice)).toEqual(["in memory, per process"]);
  });

  it("picks an option by its label with a condition behind, settles, or rules out", async () => {
    expect(await prose(...exchange(OPTIONS, "2 but without eviction"))).toMatchObject([
      { choice: "in memory, per process" },
    ]);
    const stated = async (prompt: string): Promise<unknown[]> =>
      (await prose(CU(prompt), CA("ok"))).map(({ title }) => title);
    expect(await stated("the school pays nothing. we stay on 7.4")).toEqual(["we stay on 7.4"]);
    expect(await stated("400 spams al día. nada de captcha, son menores")).toEqual(["nada de captcha, son menores"]);
    expect(await stated("write a test without mocks")).toEqual([]);
    expect(await stated("keep going")).toEqual([]);
  });

  it("answers a recorded question whose dialogue was closed, if the next prompt names an option", async () => {
    const input = { questions: [{ question: "Where?", options: [{ label: "Redis" }, { label: "memory" }] }] };
    const closed = CT("t1", "The user doesn't want to proceed with this tool use.", { is_error: true });
    const asked = [CU("go"), CA([toolUse("t1", "AskUserQuestion", input)]), closed];
    const tiers = async (prompt: string): Promise<unknown[]> =>
      (await claude(...asked, CU(prompt), CA("ok")).decisions()).map(({ tier, choice }) => [tier, choice]);
    expect(await tiers("memory, and don't ask so much")).toEqual([["structured", "memory"]]);
    expect(await tiers("what does Redis cost?")).toEqual([["structured", null]]);
  });

  it("is not found beside a recorded question that the same prompt answers", async () => {
    const brief = "D1 — Where?\nA) Redis\nB) memory\n\nReply with a letter. Which one?";
    const found = await claude(...exchange(brief, "B")).decisions();
    expect(found.map(({ tier }) => tier)).toEqual(["pattern"]);
  });

  it.each([
    ["a refusal of what the reply says", "Done. The settings page is open.", "no settings page, nobody needs it"],
    ["a limit", "I would cache the answers of the price service.", "ok, but only for guests"],
    ["a contrast", "The export can be made now.", "script not endpoint"],
    ["a rule for all further work", "All tests pass.", "From now on every table gets a tenant column."],
    ["agreement with one thing of several", "Switching now would pay twice; January is free.", "ok then january"],
  ])("is %s", async (_, reply, prompt) => {
    expect(await prose(...exchange(reply, prompt))).toMatchObject([{ choice: null, free_text: prompt }]);
  });

  it.each([
    ["an order to go on", "Fixed. Not pushed.", "ok push it"],
    ["yes to an offer of more work", "Done. Shall I add a test?", "yes"],
    ["a question", OPTIONS, "what is the difference?"],
    ["a report of what fails", "The cache is fixed.", "no, the cache still returns old values??"],
    ["an item of a list that offers no choice", "Findings:\n1. no limit\n2. no log\n3. no test", "fix 2"],
    ["praise before new work", "The cache is documented in docs/cache.md.", "great. now document the queue"],
    ["a long text", OPTIONS, `2 ${"and then we also have to look at the other services ".repeat(12)}`],
  ])("is not %s", async (_, reply, prompt) => {
    expect(await prose(...exchange(reply, prompt))).toEqual([]);
  });
});

interface Exchange {
  id: string;
  reply: string;
  prompt: string;
  decision: { choice: string | null } | null;
}

describe("exchanges in thirteen languages", () => {
  const path = join(import.meta.dirname, "fixtures/decisions/PROSE.json");
  const exchanges = JSON.parse(readFileSync(path, "utf8")) as Exchange[];
  const found = exchanges.map(({ reply, prompt }) => readAnswer(prompt, readReply(reply)));

  it("take none for a decision that is none, and find four fifths of those that are", () => {
    const wrong = exchanges.filter(({ decision }, i) => decision === null && found[i] !== null);
    expect(wrong.map(({ id }) => id)).toEqual([]);
    const right = exchanges.filter(({ decision }, i) => decision !== null && found[i] !== null);
    expect(right.length / exchanges.filter(({ decision }) => decision !== null).length).toBeGreaterThan(0.8);
  });

  it("never name another option than the human did", () => {
    for (const [i, { id, reply, decision }] of exchanges.entries()) {
      const said = found[i];
      if (said?.kind !== "picks" || said.at === null || !decision?.choice) continue;
      expect([id, readReply(reply).alternatives[said.at]?.text]).toEqual([
        id,
        expect.stringContaining(decision.choice),
      ]);
    }
  });
});

it("reads long and hostile texts in linear time", () => {
  const texts = [
    "a or b? ".repeat(20_000),
    "1. x\n".repeat(20_000),
    "(".repeat(100_000),
    "**".repeat(50_000),
    "不".repeat(50_000),
  ];
  const begun = performance.now();
  for (const reply of texts)
    for (const prompt of ["no x", "1", "不要", texts[0] ?? ""]) readAnswer(prompt, readReply(reply));
  expect(performance.now() - begun).toBeLessThan(2000);
});

it("data/short-answers.json holds folded words without repetition", () => {
  const { or, ordinals, ...classes } = shortAnswers();
  const lists: [string, readonly string[]][] = [
    ...Object.entries(classes),
    ...ordinals.map((list, i): [string, readonly string[]] => [`ordinals ${i}`, list]),
    ...Object.entries(or).flatMap(([name, one]): [string, readonly string[]][] => [
      [name, one.or],
      [name, one.known_by],
    ]),
  ];
  for (const [name, list] of lists) {
    expect([name, list.filter((word) => word !== word.toLowerCase() || word.trim() === "")]).toEqual([name, []]);
    expect([name, list.filter((word, i) => list.indexOf(word) !== i)]).toEqual([name, []]);
  }
});
