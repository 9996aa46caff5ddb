import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { DaybookError } from "../../src/base/errors.ts";
import { Daybook, type RecallAnswer } from "../../src/answers/daybook.ts";
import type { RankedCandidate } from "../../src/index/search/recall/rank.ts";
import { languageOf } from "../../src/index/search/recall/languages.ts";
import { fuse, type Wording } from "../../src/index/search/recall/wordings.ts";
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
  /** Empty if no turn answers it. */
  answers: string[];
}
const OPTIONS = { roots: ROOTS, timezone: "Europe/Berlin", env: {}, home: "/nowhere" };

function names({ results }: RecallAnswer): string[] {
  return results.map(({ session_id, turn_ref }) => `${session_id.slice(0, 8)}/${turn_ref}`);
}

describe("recall", () => {
  let daybook: Daybook;
  beforeAll(async () => {
    daybook = new Daybook({ ...OPTIONS, book: scratch("recall") });
    await daybook.sync();
  });

  it("finds a turn whose words are in different records", async () => {
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

  it("reports a question as not answered if it contains an unknown name", async () => {
    const answer = await daybook.recall("What was the reason for the Kafka consumer lag?");
    expect(answer).toMatchObject({ answered: false });
    expect(answer.missing).toContain("Kafka");
  });

  describe("with other wordings of the question", () => {
    // In words that no turn uses.
    const question = "Who kept everybody else out of our infrastructure?";
    const also = ["Who held the terraform state lock?"];
    const words = ["terraform", "lock", "state"];

    it("finds what the question alone does not, and says which wording found it", async () => {
      expect(names(await daybook.recall(question)).slice(0, 3)).not.toContain("01a07fcc/T0001");
      for (const more of [{ also }, { words }, { also, words }]) {
        const answer = await daybook.recall(question, more);
        expect(names(answer).slice(0, 3)).toContain("01a07fcc/T0001");
        const found = answer.results.find(({ session_id }) => session_id.startsWith("01a07fcc"));
        expect([...also, words.join(" ")]).toContain(found?.found_by[0]);
      }
    });

    it("counts the question twice, and a repeated or empty wording not at all", async () => {
      const alone = await daybook.recall("terraform state lock");
      for (const more of [{ also: ["terraform state lock", " "] }, { words: [] }, { words: ["of"] }])
        expect(await daybook.recall("terraform state lock", more)).toEqual(alone);
      expect(alone.results.every(({ found_by }) => found_by.length === 1)).toBe(true);
      const ranked = ([ref, fit]: [string, number]): RankedCandidate =>
        ({ turn: { key: "s", ref }, fit }) as RankedCandidate;
      const wording = (...turns: [string, number][]): Wording =>
        ({ ranked: turns.map(ranked), similar: [] }) as unknown as Wording;
      const order = fuse([wording(["a", 0.5], ["b", 0.3]), wording(["c", 0.5], ["d", 0.4]), wording(["d", 0.4])]);
      // The first of a wording that fits nothing is no better than the others.
      expect(order.map(({ by: [first] }) => first?.turn.turn.ref)).toEqual(["a", "d", "b", "c"]);
    });
  });

  it("leaves out excluded sessions, other projects and other days", async () => {
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

  it("ranks turns of the project in the working directory first", async () => {
    const question = "commit and push";
    const there = await daybook.recall(question, { cwd: "/home/nia/src/quarry" });
    expect(there.results[0]?.project).toBe("quarry");
    const elsewhere = await daybook.recall(question, { cwd: "/home/nia/src/shop-api" });
    expect(elsewhere.results[0]?.project).toBe("shop-api");
  });

  it("gives the same answers without a book", async () => {
    const direct = new Daybook(OPTIONS);
    for (const question of ["Who held the terraform state lock?", "注文メールの件名", "Rechnungen PDF langsam"])
      expect(await direct.recall(question)).toEqual(await daybook.recall(question));
  });

  it("redacts secrets in its quotes", async () => {
    const answer = await daybook.recall("is this access key from the old gist still used?");
    expect(names(answer)[0]).toBe("5a310c96/T0001");
    expect(JSON.stringify(answer)).not.toContain("AKIAFAKEFAKEFAKE0000");
  });

  it("finds synonyms, other languages and misspelled words", async () => {
    const best = async (question: string): Promise<string> =>
      names(await daybook.recall(question, { limit: 3 })).join(" ");
    // The texts use other words: binary, charged, OOMKilled and restart.
    expect(await best("How did we shrink the executable?")).toContain("01a0a07c/T0002");
    expect(await best("Customers were billed a second time")).toContain("513a27d0/T0002");
    expect(await best("Почему поды shop-api перезапускались?")).toContain("160bea14/T0001");
    expect(await best("certficate renewel acme chalenge")).toContain("b646aefa/T0001");
  });

  it("recognises a language by its small words, and one without a table by its letters", () => {
    const idOf = (question: string): string => languageOf(question.split(" ")).id;
    expect(idOf("porque é que não guardamos a página do calendário")).toBe("pt");
    expect(idOf("perché abbiamo chiuso la porta del server")).toBe("it");
    expect(idOf("waarom hebben we de oude tegels niet bewaard")).toBe("nl");
    expect(idOf("why did we close the résumé upload")).toBe("en");
    // Some of its small words are Portuguese or Danish as well, but its letters are in no list.
    const polish = languageOf("dlaczego przenieśliśmy bazę do nowego regionu i co się stało".split(" "));
    expect(polish.id).toBe("");
    expect(polish.stem("regionach")).toBe(polish.stem("regionami"));
  });

  it("finds a short follow-up prompt by the turn before it", async () => {
    const answer = await daybook.recall("Which stations show up twice in the dashboard?", { limit: 2 });
    expect(names(answer).toSorted()).toEqual(["01a08a79/T0001", "01a08a79/T0002"]);
  });

  it("names only words that occur in the session, and in the prompt if it says so", async () => {
    const { results } = await daybook.recall("What did we decide about the gateway timeouts of the big downloads?");
    expect(results).not.toEqual([]);
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

  // Lower bounds for the numbers in docs/recall.md.
  it.each([
    ["month/QUESTIONS.json", 0.93, 1],
    ["recall/QUESTIONS.json", 0.93, 1],
    ["recall/STRANGERS.json", 0.84, 0.71],
  ])("finds the right turn among the first three for most questions in %s", async (path, minFound, minRefused) => {
    const all = new Daybook({ ...OPTIONS, roots: WITH_SAMPLES, book: scratch("recall-all") });
    await all.sync();
    const questions = JSON.parse(readFileSync(join(ROOT, "test/fixtures", path), "utf8")) as Question[];
    let [found, answerable, refused] = [0, 0, 0];
    for (const { question, answers } of questions) {
      const answer = await all.recall(question, { limit: 3 });
      if (answers.length === 0) refused += Number(answer.answered !== true);
      else {
        answerable++;
        if (answer.results.some(({ session_id, turn_ref }) => answers.includes(`${session_id}/${turn_ref}`))) found++;
      }
    }
    expect(found / answerable).toBeGreaterThanOrEqual(minFound);
    expect(refused / (questions.length - answerable)).toBeGreaterThanOrEqual(minRefused);
  });

  it("rejects a question without a meaningful word", async () => {
    await expect(daybook.recall("why did we?")).rejects.toThrow(DaybookError);
  });
});
