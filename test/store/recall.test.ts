import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { DaybookError } from "../../src/errors.ts";
import { Daybook, type RecallAnswer } from "../../src/daybook.ts";
import { scratch } from "./fixture.ts";

const MONTH = fileURLToPath(new URL("../fixtures/month", import.meta.url));
const ROOTS = { "claude-code": [join(MONTH, "claude")], codex: [join(MONTH, "codex")] };
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WITH_SAMPLES = {
  "claude-code": [...ROOTS["claude-code"], join(ROOT, "samples/claude-code")],
  codex: [...ROOTS.codex, join(ROOT, "samples/codex")],
};
interface Question {
  question: string;
  /** None where nothing answers it. */
  answers: string[];
}
const PLACE = { roots: ROOTS, timezone: "Europe/Berlin", env: {}, home: "/nowhere" };

function names({ results }: RecallAnswer): string[] {
  return results.map(({ session_id, turn_ref }) => `${session_id.slice(0, 8)}/${turn_ref}`);
}

describe("recall", () => {
  let daybook: Daybook;
  beforeAll(async () => {
    daybook = new Daybook({ ...PLACE, book: scratch("recall") });
    await daybook.sync();
  });

  it("finds the turn whose words stand in different records", async () => {
    const answer = await daybook.recall("Who held the terraform state lock, and why?");
    expect(names(answer)[0]).toBe("01a07fcc/T0001");
    expect(answer.answered).toBe(true);
    expect(answer.results[0]).toMatchObject({ source: "codex", project: "platform-infra", outcome: "completed" });
    expect(answer.results[0]?.why).toContainEqual({
      word: "terraform",
      found: "terraform",
      field: "prompt",
      how: "word",
    });
    expect(answer.results[0]?.citation).toMatch(/^01a07fcc-.*\/T0001:\d+-\d+$/);
  });

  it("says that what is called by a name nobody knows is not answered", async () => {
    const answer = await daybook.recall("What was the reason for the Kafka consumer lag?");
    expect(answer).toMatchObject({ answered: false });
    expect(answer.missing).toContain("Kafka");
  });

  it("leaves out what is not asked about", async () => {
    const question = "terraform state lock";
    const [first] = names(await daybook.recall(question));
    expect(first?.startsWith("01a07fcc")).toBe(true);
    for (const options of [
      { excludeSessions: ["01a07fcc"] },
      { project: "quarry" },
      { until: "2026-09-07" },
      { since: "2026-09-09" },
    ])
      expect(names(await daybook.recall(question, options)).join(" ")).not.toContain("01a07fcc");
  });

  it("puts the project of whoever asks first among those that fit", async () => {
    const question = "commit and push";
    const there = await daybook.recall(question, { cwd: "/home/nia/src/quarry" });
    expect(there.results[0]?.project).toBe("quarry");
    const elsewhere = await daybook.recall(question, { cwd: "/home/nia/src/shop-api" });
    expect(elsewhere.results[0]?.project).toBe("shop-api");
  });

  it("answers the same from the files alone", async () => {
    const direct = new Daybook(PLACE);
    for (const question of ["Who held the terraform state lock?", "注文メールの件名", "Rechnungen PDF langsam"])
      expect(await direct.recall(question)).toEqual(await daybook.recall(question));
  });

  it("hides secrets in all it quotes", async () => {
    const answer = await daybook.recall("is this access key from the old gist still used?");
    expect(names(answer)[0]).toBe("5a310c96/T0001");
    expect(JSON.stringify(answer)).not.toContain("AKIAFAKEFAKEFAKE0000");
  });

  it("finds what is said in other words, in another language, or mistyped", async () => {
    const best = async (question: string): Promise<string> =>
      names(await daybook.recall(question, { limit: 3 })).join(" ");
    // The texts say binary, charged and OOMKilled, restart; none of them says it as it is asked here.
    expect(await best("How did we shrink the executable?")).toContain("01a0a07c/T0002");
    expect(await best("Customers were billed a second time")).toContain("513a27d0/T0002");
    expect(await best("Почему поды shop-api перезапускались?")).toContain("160bea14/T0001");
    expect(await best("certficate renewel acme chalenge")).toContain("b646aefa/T0001");
  });

  it("takes a request of a few words for one about what stands before it", async () => {
    const answer = await daybook.recall("Which stations show up twice in the dashboard?", { limit: 2 });
    expect(names(answer).toSorted()).toEqual(["01a08a79/T0001", "01a08a79/T0002"]);
  });

  it("names only words that stand where it says", async () => {
    const { results } = await daybook.recall("What did we decide about the gateway timeouts of the big downloads?");
    for (const { session_id, turn_ref, why } of results) {
      const { turn } = await daybook.find(`${session_id}/${turn_ref}`);
      for (const { found, field } of why) {
        if (field === "prompt") expect(turn?.draft.trigger.text).toContain(found);
        if (field === "reply") expect(found).not.toBe("");
      }
      const records = [];
      for await (const record of daybook.records(session_id)) records.push(JSON.stringify(record));
      for (const { found, field } of why)
        if (field !== "project" && field !== "title") expect(records.join("\n")).toContain(found);
    }
  });

  // The numbers of docs/recall.md, as a floor.
  it.each([
    ["month/QUESTIONS.json", 0.93, 1],
    ["recall/QUESTIONS.json", 0.93, 1],
    ["recall/STRANGERS.json", 0.84, 0.71],
  ])("has the right turn among the first three of the questions in %s", async (path, least, leastKnown) => {
    const all = new Daybook({ ...PLACE, roots: WITH_SAMPLES, book: scratch("recall-all") });
    await all.sync();
    const questions = JSON.parse(readFileSync(join(ROOT, "test/fixtures", path), "utf8")) as Question[];
    let [found, asked, known] = [0, 0, 0];
    for (const { question, answers } of questions) {
      const answer = await all.recall(question, { limit: 3 });
      if (answers.length === 0) known += Number(answer.answered !== true);
      else {
        asked++;
        if (answer.results.some(({ session_id, turn_ref }) => answers.includes(`${session_id}/${turn_ref}`))) found++;
      }
    }
    expect(found / asked).toBeGreaterThanOrEqual(least);
    expect(known / (questions.length - asked)).toBeGreaterThanOrEqual(leastKnown);
  });

  it("wants a word that says something", async () => {
    await expect(daybook.recall("why did we?")).rejects.toThrow(DaybookError);
  });
});
