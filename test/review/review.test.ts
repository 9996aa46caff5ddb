import { appendFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { roughTokens } from "../../src/answers/digest/text.ts";
import type { DayDigest } from "../../src/answers/digest/model.ts";
import type { Agent } from "../../src/narrate/agents/model.ts";
import { Prompts } from "../../src/narrate/prompts.ts";
import { judgeAnswer } from "../../src/narrate/review/judge.ts";
import { planReview, reviewFolder } from "../../src/narrate/review/review-day.ts";
import { renderMarkdown } from "../../src/render/markdown.ts";
import { renderStandup } from "../../src/render/standup.ts";
import { run } from "../cases/workspace.ts";
import { plantedSecrets } from "../planted-secrets.ts";
import { connected } from "../mcp/client.ts";
import { scripted } from "../narrate/day.ts";
import { NOW, ReviewedBook, turnWith } from "./reviewed.ts";

type Answer = Record<string, Record<string, unknown>[]>;

/** What a capable reader finds in the three days, one answer per day. */
function honest(digest: DayDigest): Answer {
  const at = (text: string): string => turnWith(digest, text);
  const openOf = (text: string): string => digest.open.find((one) => one.text.includes(text))?.name ?? "none";
  switch (digest.day) {
    case "2026-09-21":
      return {
        opened: [
          {
            turn: at("art 17"),
            missing: "answer",
            quote: "Should I draft that?",
            why: "deletion under art 17 is not covered, the question about anonymising waits",
          },
        ],
        decided: [
          {
            turn: at("script not endpoint"),
            quote: "script not endpoint, support runs it by hand twice a year",
            why: "the export is a script that support runs, not an endpoint",
          },
        ],
      };
    case "2026-09-22":
      return {
        opened: [
          { turn: at("mueller"), missing: "check", quote: "**The test is red**", why: "umlaut folding breaks Blue" },
          {
            turn: at("control plane of staging"),
            missing: "work",
            quote: "**Node groups are still on 1.31.**",
            why: "node groups of staging are still on 1.31",
          },
          {
            turn: at("modifiedPerField"),
            missing: "answer",
            quote: "Acceptable?",
            why: "is last-write-wins acceptable for old hikes",
          },
        ],
        results: [
          {
            turn: at("five layers".replace("five", "Five")),
            claim: "committed",
            done: true,
            quote: "Five layers, tested.",
            why: "layered configuration is in",
          },
        ],
      };
    default:
      return {
        closed: [
          {
            open: openOf("anonymising"),
            turn: at("anonymise thing"),
            quote: "draft the anonymise thing as a plan",
            why: "it was drafted",
          },
          { open: openOf("umlaut"), turn: at("real umlauts"), quote: "Committed.", why: "fixed and committed" },
          {
            open: openOf("node groups"),
            turn: at("relax the pdb"),
            quote: "All staging nodes are on 1.32.",
            why: "all on 1.32",
          },
          { open: openOf("old hikes"), turn: at("yes acceptable"), quote: "yes acceptable", why: "accepted" },
        ],
        opened: [
          {
            turn: at("api key is in"),
            missing: "other",
            quote: "**rotate it at the provider**",
            why: "the old key has to be rotated",
          },
        ],
      };
  }
}

/** An agent that answers about the digest it was made for. */
function reader(digest: DayDigest, answer: (digest: DayDigest) => Answer = honest): Agent & { asked: string[] } {
  return scripted(() => JSON.stringify(answer(digest)));
}

async function readAll(book: ReviewedBook): Promise<string[]> {
  const prompts: string[] = [];
  for (const day of ["2026-09-21", "2026-09-22", "2026-09-23"]) {
    const agent = reader(await book.digest(day));
    const { review } = await book.review(day, agent);
    expect(review?.refused).toEqual([]);
    prompts.push(...agent.asked);
  }
  return prompts;
}

describe("a day that a model has read", () => {
  it("is in the report, the stand-up, the page and the answer for agents, under the name of the model", async () => {
    const book = new ReviewedBook();
    await readAll(book);
    const made = await book.with(async (daybook) => daybook.report({ date: "2026-09-22" }));
    const read = made.read_by_model;
    expect(read?.opened.map(({ quote }) => quote)).toEqual([
      "**The test is red**",
      "**Node groups are still on 1.31.**",
      "Acceptable?",
    ]);
    expect(read?.carried.map(({ quote, day }) => [day, quote])).toEqual([["2026-09-21", "Should I draft that?"]]);
    expect(read?.results).toMatchObject([
      { claim: "committed", proof: expect.stringContaining("commit 930d28d “layered configuration") },
    ]);
    expect(read?.by).toMatchObject([{ model: "scripted", requests: 1, estimated: true, cost_usd: null }]);
    expect(renderMarkdown(made)).toContain("## Open, read by scripted");
    expect(renderStandup(made)).toContain("shop-api: umlaut folding breaks Blue");
    const page = await run(["report", "--date", "2026-09-22", "--format", "html", ...book.flags], {}, NOW);
    expect(page.out).toContain("umlaut folding breaks Blue");
    // The layers are never mixed.
    expect(JSON.stringify([made.loose_ends, made.carried_over])).not.toContain("umlaut folding");
  });

  it("closes what earlier days left open, in every report from then on", async () => {
    const book = new ReviewedBook();
    await readAll(book);
    const made = await book.with(async (daybook) => daybook.report({ date: "2026-09-23" }));
    expect(made.read_by_model?.carried).toEqual([]);
    expect(made.read_by_model?.closed.map(({ closes }) => closes.turn_ref)).toHaveLength(4);
    const week = await book.with(async (daybook) => daybook.report({ date: "2026-09-23", week: true }));
    expect(week.read_by_model?.opened.map(({ quote }) => quote)).toEqual(["**rotate it at the provider**"]);
    expect(week.read_by_model?.by).toHaveLength(3);
    // A report of a day before it was closed still has it.
    const before = await book.with(async (daybook) => daybook.report({ date: "2026-09-22" }));
    expect(before.read_by_model?.opened).toHaveLength(3);
  });

  it("takes at most 4,000 tokens to send, of which the least is the prompt", async () => {
    const book = new ReviewedBook();
    for (const prompt of await readAll(book)) expect(roughTokens(prompt)).toBeLessThan(3000);
  });

  it("is not asked about twice, but again when it changed", async () => {
    const book = new ReviewedBook();
    const digest = await book.digest("2026-09-22");
    const agent = reader(digest);
    expect((await book.review("2026-09-22", agent)).state).toBe("asked");
    expect((await book.review("2026-09-22", agent)).state).toBe("kept");
    expect(agent.asked).toHaveLength(1);
    // The last request of a session goes on after the review.
    const project = join(book.files, "claude/projects/-home-nia-src-trailmate-ios");
    const file = join(project, readdirSync(project).find((name) => name.endsWith(".jsonl")) ?? "");
    const last =
      readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .findLast((line) => line.includes('"type":"user"')) ?? "";
    const more = JSON.parse(last) as Record<string, unknown>;
    appendFileSync(
      file,
      `${JSON.stringify({ ...more, uuid: "0d1f", timestamp: "2026-09-22T20:00:00.000Z", message: { role: "user", content: "one more thing" } })}\n`,
    );
    const again = await book.digest("2026-09-22");
    expect(again.hash).not.toBe(digest.hash);
    expect((await book.review("2026-09-22", reader(again))).state).toBe("asked");
    const kept = readFileSync(join(book.home, "book/book/reviews.jsonl"), "utf8").trimEnd().split("\n");
    expect(kept).toHaveLength(2);
  });

  it("is asked about once by two who do it at the same time", async () => {
    const book = new ReviewedBook();
    const agent = reader(await book.digest("2026-09-22"));
    const both = await Promise.allSettled([book.review("2026-09-22", agent), book.review("2026-09-22", agent)]);
    expect(both.some(({ status }) => status === "fulfilled")).toBe(true);
    await book.review("2026-09-22", agent);
    expect(agent.asked).toHaveLength(1);
  });

  it("loses nothing when the program is ended at any step, and asks once", async () => {
    const whole = new ReviewedBook();
    const steps: string[] = [];
    await whole.review("2026-09-22", reader(await whole.digest("2026-09-22")), {
      step: (name) => void steps.push(name),
    });
    expect(steps.length).toBeGreaterThan(5);
    for (const [at] of steps.entries()) {
      const book = new ReviewedBook();
      const agent = reader(await book.digest("2026-09-22"));
      let n = 0;
      const step = (): void => {
        if (n++ === at) throw new Error("ended");
      };
      await expect(book.review("2026-09-22", agent, { step })).rejects.toThrow("ended");
      const { review } = await book.review("2026-09-22", agent);
      expect(review?.opened).toHaveLength(3);
      // Only an answer that was never stored has to be given again.
      expect(agent.asked, steps[at]).toHaveLength(steps[at] === "answer" ? 2 : 1);
      expect(existsSync(reviewFolder(join(book.home, "book"), "2026-09-22"))).toBe(false);
    }
  });

  it("goes with the sessions it quotes when they are forgotten", async () => {
    const book = new ReviewedBook();
    await readAll(book);
    await book.with(async (daybook) => daybook.forget(await daybook.forgetPlan({ sessions: ["f242a053"] })));
    const kept = readFileSync(join(book.home, "book/book/reviews.jsonl"), "utf8");
    expect(kept).not.toContain("The test is red");
    expect(kept).toContain("Node groups are still on");
    const made = await book.with(async (daybook) => daybook.report({ date: "2026-09-22" }));
    expect(made.read_by_model?.opened).toHaveLength(2);
  });
});

describe("what a model says that is not so", () => {
  const lies: Record<string, (digest: DayDigest) => Answer> = {
    not_verbatim: (digest) => ({
      opened: [
        { turn: turnWith(digest, "mueller"), missing: "check", quote: "The test is red.", why: "red" },
        { turn: turnWith(digest, "mueller"), missing: "work", quote: "Zanzibar is down", why: "down" },
        // In another turn's text.
        { turn: turnWith(digest, "mueller"), missing: "answer", quote: "Acceptable?", why: "asked" },
      ],
    }),
    no_turn: () => ({ opened: [{ turn: "t99", missing: "work", quote: "The test is red", why: "red" }] }),
    never_opened: (digest) => ({
      closed: [{ open: "O77", turn: turnWith(digest, "mueller"), quote: "umlauts?", why: "done" }],
    }),
    contradicted: (digest) => ({
      opened: [
        // Pushed after the commit, in the same turn.
        {
          turn: turnWith(digest, "control plane"),
          missing: "push",
          quote: "Node groups are still on 1.31.",
          why: "not pushed",
        },
        {
          turn: turnWith(digest, "Five layers"),
          missing: "commit",
          quote: "Five layers, tested.",
          why: "nicht committet",
        },
        { turn: turnWith(digest, "Five layers"), missing: "check", quote: "Five layers, tested.", why: "テストが失敗" },
      ],
      results: [
        // Its last test failed.
        { turn: turnWith(digest, "mueller"), claim: "ran", done: true, quote: "umlauts?", why: "全部测试通过" },
        { turn: turnWith(digest, "mueller"), claim: "said", done: true, quote: "umlauts?", why: "all is well" },
        // It was cut off.
        { turn: turnWith(digest, "quarry follow"), claim: "said", done: true, quote: "like tail -f", why: "done" },
      ],
    }),
    not_shown: (digest) => ({
      results: [
        { turn: turnWith(digest, "mueller"), claim: "committed", done: false, quote: "umlauts?", why: "committed" },
        {
          turn: turnWith(digest, "Five layers"),
          claim: "pushed",
          done: true,
          quote: "Five layers, tested.",
          why: "pushed",
        },
        {
          turn: turnWith(digest, "Five layers"),
          claim: "released",
          done: true,
          quote: "Five layers, tested.",
          why: "live",
        },
        {
          turn: turnWith(digest, "modifiedPerField"),
          claim: "changed",
          done: true,
          quote: "Acceptable?",
          why: "changed",
        },
      ],
    }),
    shape: (digest) => ({
      opened: [
        { turn: turnWith(digest, "mueller"), missing: "everything", quote: "umlauts?", why: "x" },
        { turn: turnWith(digest, "mueller"), missing: "work", quote: "", why: "x" },
        { turn: 3, missing: "work", quote: "umlauts?", why: "x" },
      ],
    }),
    order: (digest) => ({
      decided: [
        {
          turn: turnWith(digest, "control plane"),
          quote: "change it, apply",
          why: "apply",
          asked: { turn: turnWith(digest, "modifiedPerField"), quote: "Acceptable?" },
        },
      ],
    }),
  };

  for (const [rule, lie] of Object.entries(lies))
    it(`is refused: ${rule}`, async () => {
      const digest = await new ReviewedBook().digest("2026-09-22");
      const given = lie(digest);
      const judged = judgeAnswer(
        JSON.stringify(given),
        digest,
        digest.turns.map(({ name }) => name),
      );
      const all = Object.values(given).flat().length;
      expect(judged?.refused.map((one) => one.rule)).toEqual(Array<string>(all).fill(rule));
      expect([judged?.opened, judged?.closed, judged?.decided, judged?.results].flat()).toEqual([]);
    });

  it("closes nothing: an agent that says so, where the records can tell and do not show it", async () => {
    const book = new ReviewedBook();
    await book.review("2026-09-22", reader(await book.digest("2026-09-22")));
    const digest = await book.digest("2026-09-23");
    const red = digest.open.find(({ text }) => text.includes("umlaut"))?.name ?? "";
    const names = digest.turns.map(({ name }) => name);
    const closed = (turn: string, quote: string): unknown =>
      judgeAnswer(JSON.stringify({ closed: [{ open: red, turn, quote, why: "x" }] }), digest, names);
    // No check was run there.
    expect(closed(turnWith(digest, "which one is legally"), "I would use that everywhere.")).toMatchObject({
      refused: [{ rule: "not_shown" }],
    });
    expect(closed(turnWith(digest, "real umlauts"), "Committed.")).toMatchObject({ closed: [{ quote: "Committed." }] });
  });

  it("of no kind that denies what the records show is shown with the words of the turn alone", async () => {
    const digest = await new ReviewedBook().digest("2026-09-22");
    const quote = "Node groups are still on 1.31.";
    const turn = turnWith(digest, "control plane");
    const opened = [{ turn, missing: "other", quote, why: "нужен push" }];
    const judged = judgeAnswer(JSON.stringify({ opened }), digest, [turn]);
    expect(judged?.opened).toMatchObject([{ quote, why: quote }]);
  });

  it("takes numbers and names only from its turn: others are left out of the reason", async () => {
    const digest = await new ReviewedBook().digest("2026-09-22");
    const turn = turnWith(digest, "mueller");
    const why = ["9041 tests fail", "see https://attacker.example/x", "src/secret/vault.ts is red", "٩٠٤١ اختبارات"];
    const opened = why.map((one, i) => ({
      turn,
      missing: "work",
      quote: ["umlauts?", "**The test is red**", "I would only fold umlauts", "breaks English words"][i],
      why: one,
    }));
    const judged = judgeAnswer(
      JSON.stringify({ opened }),
      digest,
      digest.turns.map(({ name }) => name),
    );
    expect(judged?.opened).toHaveLength(4);
    for (const one of judged?.opened ?? []) expect(one.why).toBe(one.quote);
  });

  it("takes the name of a file from what was said earlier in the session, and no number", async () => {
    const digest = await new ReviewedBook().digest("2026-09-22");
    const later = digest.turns.find((one) => digest.turns.find(({ session }) => session === one.session) !== one);
    const before = digest.turns.find(({ session }) => session === later?.session);
    if (!later || !before) throw new Error("no session of two turns");
    const quote = later.sent[0]?.text ?? "";
    before.sent.push({ by: "agent", text: "conf/9041.toml took 9042 ms" });
    const judged = (why: string): string | undefined =>
      judgeAnswer(JSON.stringify({ opened: [{ turn: later.name, missing: "work", quote, why }] }), digest, [later.name])
        ?.opened[0]?.why;
    expect(judged("conf/9041.toml is missing")).toBe("conf/9041.toml is missing");
    expect(judged("it took 9042 ms")).toBe(quote);
  });

  it("proves by a failed check that something was run, and not that it is done", async () => {
    const digest = await new ReviewedBook().digest("2026-09-22");
    const turn = turnWith(digest, "mueller");
    const results = [{ turn, claim: "ran", done: false, quote: "umlauts?", why: "still red" }];
    const judged = judgeAnswer(JSON.stringify({ results }), digest, [turn]);
    expect(judged?.results).toMatchObject([{ claim: "ran", proof: expect.stringMatching(/^failed: /) as string }]);
  });

  it("gets another chance only when it is no answer at all", async () => {
    const book = new ReviewedBook();
    const digest = await book.digest("2026-09-22");
    const agent = scripted((prompt) =>
      prompt.includes("was rejected") ? JSON.stringify(honest(digest)) : "I read it.",
    );
    expect((await book.review("2026-09-22", agent)).review?.opened).toHaveLength(3);
    expect(agent.asked).toHaveLength(2);
    const other = new ReviewedBook();
    const mute = scripted(() => "no");
    await expect(other.review("2026-09-22", mute)).rejects.toThrow("no answer that could be read");
    // What could not be read is asked again by the next run.
    expect((await other.review("2026-09-22", reader(digest))).review?.opened).toHaveLength(3);
    expect(mute.asked).toHaveLength(2);
  });
});

describe("what is sent", () => {
  it("holds no secret, wherever in a session one stands", async () => {
    const book = new ReviewedBook();
    const secrets = plantedSecrets(7);
    const project = join(book.files, "claude/projects/-home-nia-src-trailmate-ios");
    const file = join(project, readdirSync(project).find((name) => name.endsWith(".jsonl")) ?? "");
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const said = lines.findLast((line) => line.includes('"type":"user"') && line.includes('"content":"')) ?? "";
    const user = JSON.parse(said) as Record<string, unknown>;
    const lastUuid = lines
      .map((line) => (JSON.parse(line) as { uuid?: string }).uuid)
      .findLast((uuid) => uuid !== undefined);
    const planted = secrets.map(({ text }, i) =>
      JSON.stringify({
        ...user,
        uuid: `planted-${i}`,
        parentUuid: i === 0 ? lastUuid : `planted-${i - 1}`,
        timestamp: `2026-09-22T1${Math.floor(i / 60) % 10}:${String(i % 60).padStart(2, "0")}:00.000Z`,
        message: { role: "user", content: text },
      }),
    );
    writeFileSync(file, `${[...lines, ...planted].join("\n")}\n`);
    const digest = await book.digest("2026-09-22");
    const agent = reader(digest, ({ turns }) => ({
      opened: turns.flatMap(({ name, sent: [first] }) =>
        first ? [{ turn: name, missing: "work", quote: first.text.slice(0, 500), why: "look" }] : [],
      ),
    }));
    await book.review("2026-09-22", agent);
    const seen = `${agent.asked.join("\n")}${readFileSync(join(book.home, "book/book/reviews.jsonl"), "utf8")}`;
    expect(digest.turns.length).toBeGreaterThan(secrets.length);
    for (const { kind, secret } of secrets) expect(seen.includes(secret), kind).toBe(false);
  });

  it("is shown by --dry-run with its price, and nothing is asked", async () => {
    const book = new ReviewedBook();
    const { out, code } = await run(
      ["review", "--date", "2026-09-22", "--dry-run", "--model", "gpt-5.1", ...book.flags],
      {},
      NOW,
    );
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^2026-09-22: 13 requests; 1 model call, about [\d,]+ tokens to send and [\d,]+ back, about \$0\.0\d/,
      ),
    ]);
    expect(out).toContain("< Five layers, tested. An unknown key is a warning, not an error.");
    expect(existsSync(join(book.home, "book/book/reviews.jsonl"))).toBe(false);
  });

  it("is what an agent gets over MCP with digest: true, with the names of the turns", async () => {
    const book = new ReviewedBook();
    const [part] = (await book.digest("2026-09-22")).parts;
    await book.with(async (daybook) => {
      const { ask } = await connected({ daybook, cwd: null, env: {} });
      const { inside: text } = await ask("report", { date: "2026-09-22", digest: true });
      expect(text).toContain(part?.text);
      expect(text).toMatch(/^t1 = [\w-]+\/T\d{4}$/m);
    });
  });

  it("plans nothing for a day that was read, and pretends nothing without a model", async () => {
    const book = new ReviewedBook();
    const digest = await book.digest("2026-09-22");
    const { review } = await book.review("2026-09-22", reader(digest));
    const plan = planReview(digest, { prompts: new Prompts(null, null), model: null, known: review, now: NOW });
    expect(plan).toMatchObject({ is_known: true, requests: 1, cost_usd: null });
    const { code, err } = await run(
      ["review", "--date", "2026-09-23", ...book.flags],
      { DAYBOOK_CONFIG: "/dev/null" },
      NOW,
    );
    expect([code, err]).toEqual([2, expect.stringContaining("no agent is configured to read the day")]);
    const made = await book.with(async (daybook) => daybook.report({ date: "2026-09-21" }));
    expect(made.read_by_model).toBeNull();
  });
});

describe("[review] auto", () => {
  it("has the last day that is over read while sync --watch runs, once", async () => {
    const book = new ReviewedBook();
    const digest = await book.digest("2026-09-23");
    const answer = join(book.home, "answer.mjs");
    writeFileSync(
      answer,
      `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(join(book.home, "asked"))}, "x"); console.log(${JSON.stringify(JSON.stringify(honest(digest)))});`,
    );
    const config = join(book.home, "config.toml");
    writeFileSync(
      config,
      `[review]\nauto = true\n[narrate]\ncommand = [${JSON.stringify(process.execPath)}, ${JSON.stringify(answer)}]\n`,
    );
    const env = { DAYBOOK_CONFIG: config, HOME: book.home };
    const now = Date.parse("2026-09-24T06:00:00Z");
    const watched = run(["sync", "--watch", "--interval", "0.1", ...book.flags], env, now, { clock: () => now });
    const kept = join(book.home, "book/book/reviews.jsonl");
    await expect.poll(() => existsSync(kept), { timeout: 20_000 }).toBe(true);
    process.emit("SIGINT");
    expect((await watched).err).toContain("read 2026-09-23");
    expect(readFileSync(join(book.home, "asked"), "utf8")).toBe("x");
  });

  it("finds its points with search, labelled with the model", async () => {
    const book = new ReviewedBook();
    await readAll(book);
    const found = await book.with(async (daybook) => daybook.search("umlaut breaks", { kinds: ["review"] }));
    expect(found).toMatchObject([{ kind: "review", line: null, project: "shop-api" }]);
    expect(JSON.stringify(found)).toContain("read by scripted");
  });
});
