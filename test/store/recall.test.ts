import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { DaybookError } from "../../src/errors.ts";
import { Daybook, type RecallAnswer } from "../../src/daybook.ts";
import { scratch } from "./fixture.ts";

const MONTH = fileURLToPath(new URL("../fixtures/month", import.meta.url));
const ROOTS = { "claude-code": [join(MONTH, "claude")], codex: [join(MONTH, "codex")] };
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
      ...{ word: "terraform", found: "terraform", field: "prompt", how: "word" },
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
      ...[{ excludeSessions: ["01a07fcc"] }, { project: "quarry" }, { until: "2026-09-07" }, { since: "2026-09-09" }],
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

  it("wants a word that says something", async () => {
    await expect(daybook.recall("why did we?")).rejects.toThrow(DaybookError);
  });
});
