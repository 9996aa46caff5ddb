import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { settlePrompts } from "../../src/index/tables/prompts.ts";
import { dropSession } from "../../src/index/tables/session-rows.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import type { Daybook } from "../../src/answers/daybook.ts";
import { A, at, E, M, R, write } from "../cases/build.ts";
import { answers, differences, open, scratch, type Roots } from "./fixture.ts";
import { tablesOf } from "./tables.ts";

const MONTH = fileURLToPath(new URL("../fixtures/month/", import.meta.url));

interface MonthTruth {
  sessions: { session: string; automated: boolean; turns: { turn: string }[] }[];
}

const truth = JSON.parse(readFileSync(join(MONTH, "TRUTH.json"), "utf8")) as MonthTruth;
const scheduled = truth.sessions.filter((one) => one.automated).map((one) => `${one.session}/T0001`);

/** `session/turn` of all turns classified as automated. */
async function automated(daybook: Daybook): Promise<string[]> {
  const turns = (await daybook.turns()).filter(({ trigger }) => trigger.entry === "automated");
  return turns.map(({ session_id, turn_ref }) => `${session_id}/${turn_ref}`).toSorted();
}

describe("a month with a prompt that a program sends every morning", () => {
  const roots: Roots = { "claude-code": [join(MONTH, "claude")], codex: [join(MONTH, "codex")] };

  it("has these turns classified as automated, with and without a book", async () => {
    expect(scheduled.length).toBeGreaterThan(5);
    expect(await automated(open(roots))).toEqual(scheduled.toSorted());
    const book = scratch("book");
    expect(await automated(open(roots, book))).toEqual(scheduled.toSorted());
    const turns = await open(roots, book).turns({ session: scheduled[0]?.split("/")[0] });
    expect(turns[0]?.trigger).toMatchObject({ entry: "automated", reason: "recurring.daily", kind: "prompt" });
  });

  it("gives the same answers with and without a book", async () => {
    expect(differences(await answers(open(roots)), await answers(open(roots, scratch("book"))))).toEqual([]);
  });
});

describe("recurring prompts", () => {
  const WORDS = "Look at the checks of all repositories.";
  const root = (): string => scratch("codex");
  const day = (n: number, time = "05:30:10"): string => `2026-09-${String(n).padStart(2, "0")}T${time}.000Z`;
  const session = (dir: string, n: number, words = WORDS): void =>
    void write(
      join(dir, "sessions", `rollout-${n}.jsonl`),
      [M(`s${n}`, { source: "exec" }), R(words), E(words), A("fine")].map((line) => at(day(n), line)),
    );

  it("are marked as automated from the third on, and unmarked when too few are left", async () => {
    const dir = root();
    const roots = { codex: [dir] };
    const book = scratch("book");
    for (const n of [1, 2]) session(dir, n);
    expect(await automated(open(roots, book))).toEqual([]);
    session(dir, 3);
    expect(await automated(open(roots, book))).toEqual(["s1/T0001", "s2/T0001", "s3/T0001"]);
    const store = IndexStore.openExisting(book);
    store?.transaction(() => {
      dropSession(store, "codex/s2");
      settlePrompts(store);
    });
    const views = store?.all("SELECT view FROM turn ORDER BY session").map((row) => JSON.parse(String(row["view"])));
    store?.close();
    IndexStore.release(book);
    const { trigger } = (await open({ codex: [join(dir, "sessions", "rollout-1.jsonl")] }).turns())[0] ?? {};
    expect(views).toMatchObject([{ trigger }, { trigger: { entry: "headless", reason: trigger?.reason } }]);
  });

  it("have the same rows whatever the order in which they are read", async () => {
    const dir = root();
    const roots = { codex: [dir] };
    const stepwise = scratch("book");
    for (const n of [4, 2, 9, 3, 1]) {
      session(dir, n);
      expect(await automated(open(roots, stepwise))).toEqual(await automated(open(roots)));
    }
    const atOnce = scratch("book");
    await automated(open(roots, atOnce));
    expect(tablesOf(stepwise)["prompt"]).toEqual(tablesOf(atOnce)["prompt"]);
    expect(tablesOf(stepwise)["turn"]).toEqual(tablesOf(atOnce)["turn"]);
  });

  it("within one session are found as it grows", async () => {
    const dir = root();
    const roots = { codex: [dir] };
    const book = scratch("book");
    const turnAt = (n: number): ReturnType<typeof at>[] =>
      [R(WORDS), E(WORDS), A("fine")].map((line) => at(day(1, `05:${String(n * 5).padStart(2, "0")}:0${n % 3}`), line));
    for (const n of [1, 2, 3, 4, 5, 6]) {
      const lines = Array.from({ length: n }, (_, i) => turnAt(i)).flat();
      write(join(dir, "sessions", "rollout-1.jsonl"), [at(day(1, "05:00:00"), M("s1", { source: "cli" })), ...lines]);
      const marked = await automated(open(roots, book));
      expect(marked).toEqual(await automated(open(roots)));
      expect(marked).toHaveLength(n < 5 ? 0 : n);
    }
  });
});

describe("prompts of a loop", () => {
  const second = (n: number): string => new Date(Date.UTC(2026, 8, 7, 5, 0, n)).toISOString();
  /** A session of four minutes; without its end the agent is still at work. */
  const session = (dir: string, n: number, words: string, ended = true): void => {
    const lines = [M(`s${n}`, { source: "exec" }), R(words), E(words)].map((line) => at(second(n * 250), line));
    const end = ended ? [at(second(n * 250 + 240), A("fine"))] : [];
    write(join(dir, "sessions", `rollout-${n}.jsonl`), [...lines, ...end]);
  };
  const words = (n: number): string => `Look for mistakes in the file number ${"abcdef"[n]}`;

  it("are found in any order, with and without a book, and as the sessions grow", async () => {
    const dir = scratch("codex");
    const roots = { codex: [dir] };
    const stepwise = scratch("book");
    for (const n of [3, 0, 4, 1, 2, 5]) {
      for (const ended of [false, true]) {
        session(dir, n, words(n), ended);
        expect(await automated(open(roots, stepwise))).toEqual(await automated(open(roots)));
      }
    }
    expect(await automated(open(roots, stepwise))).toEqual([0, 1, 2, 3, 4, 5].map((n) => `s${n}/T0001`));
    const atOnce = scratch("book");
    await automated(open(roots, atOnce));
    expect(tablesOf(stepwise)["prompt"]).toEqual(tablesOf(atOnce)["prompt"]);
    expect(tablesOf(stepwise)["turn"]).toEqual(tablesOf(atOnce)["turn"]);
  });

  it("that fill in a template are found by what the agent did", async () => {
    const dir = scratch("codex");
    const roots = { codex: [dir] };
    const book = scratch("book");
    const template = "Write a summary of this conversation. Be factual and specific, in two to four sentences. ".repeat(
      3,
    );
    const filled = [0, 11, 25, 42, 60, 83];
    for (const n of filled) session(dir, n, `${template}${"ab".repeat(n)}`);
    expect(await automated(open(roots, book))).toEqual(filled.map((n) => `s${n}/T0001`).toSorted());
    const [turn] = await open(roots, book).turns({ session: "s25" });
    expect(turn?.trigger).toMatchObject({ entry: "automated", reason: "recurring.template" });
    expect(await automated(open(roots))).toEqual(await automated(open(roots, book)));
  });
});

describe("prompts that are the text of a command", () => {
  const steps = Array.from(
    { length: 14 },
    (_, i) => `${i + 1}. A step that is the same every time, with enough words in it.`,
  );
  const body = (typed: string): string => `# Write the notes\n\nAbout: ${typed}\n\n${steps.join("\n")}`;
  const session = (dir: string, n: number, words: string): void =>
    void write(
      join(dir, "sessions", `rollout-${n}.jsonl`),
      [M(`s${n}`), R(words), E(words), A("fine")].map((line) => at(`2026-09-0${n}T08:0${n}:00.000Z`, line)),
    );

  it("are recognised when they repeat, in any order, with and without a book", async () => {
    const dir = scratch("codex");
    const roots = { codex: [dir] };
    const book = scratch("book");
    const triggersOf = async (daybook: Daybook): Promise<string[]> =>
      (await daybook.turns()).map(({ trigger }) => `${trigger.kind} ${trigger.reason}: ${trigger.text?.slice(0, 40)}`);
    for (const [n, typed] of [
      [5, "May"],
      [1, "June"],
      [3, "July"],
      [4, "August"],
    ] as const) {
      session(dir, n, body(typed));
      expect(await triggersOf(open(roots, book))).toEqual(await triggersOf(open(roots)));
    }
    expect(await triggersOf(open(roots, book))).toEqual(
      ["June", "July", "August", "May"].map((typed) => `command repeated.template: Write the notes\nAbout: ${typed}`),
    );
    expect(differences(await answers(open(roots)), await answers(open(roots, book)))).toEqual([]);
    const records = [];
    for await (const record of open(roots, book).records("s1")) if (record.type === "user") records.push(record);
    expect(records).toMatchObject([
      { author: "human", kind: "command", text: "Write the notes\nAbout: June" },
      { author: "source", text: body("June") },
    ]);
  });

  it("are not taken for commands if a program sends them", async () => {
    const dir = scratch("codex");
    for (const n of [1, 2, 3, 4]) {
      const lines = [M(`s${n}`, { source: "exec" }), R(body("May")), E(body("May")), A("fine")];
      write(
        join(dir, "sessions", `rollout-${n}.jsonl`),
        lines.map((line) => at(`2026-09-0${n}T0${n}:00:00.000Z`, line)),
      );
    }
    const kinds = (await open({ codex: [dir] }).turns()).map(({ trigger }) => trigger.kind);
    expect(kinds).toEqual(["prompt", "prompt", "prompt", "prompt"]);
  });
});
