import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inside as insideOf, type Daybook, type RecallResult } from "../../src/answers/daybook.ts";
import { plain } from "../../src/base/text/inert.ts";
import { copyCorpus, open, scratch } from "../store/fixture.ts";
import { connected, whole, type Ask } from "./client.ts";

describe("the MCP tools over the corpus", () => {
  let daybook: Daybook = open({});
  let ask: Ask = async () => {
    throw new Error("not connected");
  };
  beforeAll(async () => {
    const { roots } = copyCorpus();
    daybook = open(roots, scratch("home"), { noSync: true });
    ({ ask } = await connected({ daybook, cwd: null, env: {} }));
    // Reads the whole corpus before the first question.
    await daybook.sync();
  });
  afterAll(() => daybook.close());

  const briefOf = async (one?: RecallResult): Promise<string> => {
    if (!one) throw new Error("nothing was recalled");
    const id = (await insideOf(daybook).naming([one]))(one);
    return `${id}${one.citation.slice(one.session_id.length)} · ${one.source} · `;
  };

  it("are few, read-only and described in at most 8000 bytes", async () => {
    const { client } = await connected({ daybook, cwd: null, env: {} });
    const { tools } = await client.listTools();
    expect(tools.length).toBeLessThanOrEqual(8);
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(8000);
    for (const { annotations } of tools) expect(annotations?.readOnlyHint).toBe(true);
  });

  it("list sessions and turns with citations that the tool read accepts", async () => {
    for (const what of ["sessions", "turns"]) {
      const { inside } = await ask("list", { what, limit: 100 });
      const cited = [...inside.matchAll(/^(\S+) · [\w-]+ · /gm)].map(([, name = ""]) => name);
      expect(cited.length).toBeGreaterThan(50);
      for (const target of cited.slice(0, 12)) {
        const { inside: text, isError } = await ask("read", { target });
        expect(isError, target).toBe(false);
        expect(text).toContain(target.replace(/:.*/, ""));
      }
    }
  });

  it("read a whole session page by page: the texts of all records, in order", async () => {
    const sessions = (await daybook.sessions()).filter(({ turns }) => turns > 0);
    const longest = sessions.toSorted(
      (a, b) => b.tools.total - a.tools.total || (a.session_id < b.session_id ? -1 : 1),
    );
    for (const { source, session_id } of [...longest.slice(0, 6), ...longest.slice(-3)]) {
      const target = `${source}/${session_id}`;
      const text = await whole(ask, "read", { target, detail: "full" });
      let at = 0;
      for await (const record of daybook.records(target)) {
        const body = record.type === "tool_finished" ? record.output : "text" in record ? record.text : null;
        const wanted = plain(daybook.redactor.text(body ?? ""));
        const found = text.indexOf(wanted, at);
        expect(found, `${target} seq ${record.seq}`).not.toBe(-1);
        at = found + wanted.length;
      }
    }
  });

  it("read one turn or some of its lines, and report an unknown session", async () => {
    const [turn] = (await daybook.turns()).filter(({ tools }) => tools.total > 2);
    const target = `${turn?.source}/${turn?.session_id}/${turn?.turn_ref}`;
    const all = await whole(ask, "read", { target, detail: "full" });
    const line = turn?.trigger.line ?? 0;
    const one = await ask("read", { target: `${target}:${line}`, detail: "full" });
    expect(one.inside).toContain(`[${line}] `);
    expect(one.inside.length).toBeLessThan(all.length);
    const missing = await ask("read", { target: "no-such-session" });
    expect(missing.isError).toBe(true);
    expect(missing.inside).toContain("no session no-such-session");
  });

  it("give the same usage, report, decisions and explanations as the library", async () => {
    const usage = await daybook.usage({ group: "model", by: "spent", breakdown: false, order: "desc" });
    const answer = await ask("usage", { group: "model" });
    for (const { period, output_tokens } of usage.rows) {
      const row = answer.inside.split("\n").find((line) => line.startsWith(`${period} · `));
      expect(row).toContain(` output ${output_tokens} `);
    }
    const report = await daybook.report();
    const day = await whole(ask, "report", {});
    for (const { turns } of report.projects) for (const { citation } of turns) expect(day).toContain(`[${citation}] `);
    expect(report.projects.flatMap(({ turns }) => turns).length).toBeGreaterThan(0);
    const decisions = await daybook.decisions();
    expect(decisions.length).toBeGreaterThan(0);
    const listedDecisions = await whole(ask, "decisions", { limit: 100 });
    const naming = await insideOf(daybook).naming(decisions);
    for (const { title, ...decision } of decisions.slice(-100)) {
      expect(listedDecisions).toContain(`${naming(decision)}/${decision.turn_ref}`);
      expect(listedDecisions).toContain(plain(daybook.redactor.text(title ?? "")));
    }
    const [session] = await daybook.sessions();
    const why = await ask("explain", { target: `${session?.source}/${session?.session_id}:1` });
    expect(why.inside).toMatch(/^rule: \w+[\w.-]+$/m);
  });

  it("recall turns by their content, as many as the budget allows", async () => {
    const question = "which commands failed with exit code 3";
    const { results } = await daybook.recall(question, { limit: 20 });
    const little = await ask("recall", { question, budget: 200 });
    const much = await ask("recall", { question, budget: 8000 });
    // Cited as in `list`.
    expect(little.inside).toContain(await briefOf(results[0]));
    expect(much.inside).not.toMatch(/^ *found by: *$/m);
    expect(much.inside).not.toMatch(/^ {2}input, line \d+: \S+ \{"/m);
    expect(much.inside.length).toBeGreaterThan(little.inside.length);
    expect(little.inside.length).toBeLessThan(2000);
    for (const { citation } of results.slice(0, 5)) {
      const { isError, inside } = await ask("read", { target: citation });
      expect([citation, isError]).toEqual([citation, false]);
      expect(inside).toMatch(/^\[\d+\] /m);
    }
  });

  it("recall by other wordings and words of the answer, naming the wording that found a turn", async () => {
    const question = "what went sideways over there";
    const also = ["which commands failed with exit code 3"];
    const { inside } = await ask("recall", { question, also, words: ["exit"], budget: 8000 });
    const { results } = await daybook.recall(question, { also, words: ["exit"], limit: 20 });
    expect(inside).toContain(await briefOf(results[0]));
    expect(inside).toContain(`  wording: ${also[0]}`);
    expect((await ask("recall", { question, words: Array.from({ length: 9 }, () => "x") })).isError).toBe(true);
  });

  it("report invalid arguments as errors", async () => {
    for (const [tool, args] of [
      ["read", { target: "x", cursor: "y" }],
      ["read", {}],
      ["list", { since: "the day before" }],
      ["explain", { target: "nothing" }],
    ] as const)
      expect((await ask(tool, args)).isError, `${tool} ${JSON.stringify(args)}`).toBe(true);
  });
});
