import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Daybook } from "../../src/answers/daybook.ts";
import type { DayReport, ReportTurn } from "../../src/answers/report/model.ts";
import { renderHtml } from "../../src/render/html.ts";
import { renderMarkdown } from "../../src/render/markdown.ts";
import { renderSummary } from "../../src/render/summary.ts";
import { renderFull } from "../../src/render/terminal.ts";
import { itemsIn } from "../../src/render/phrases.ts";
import { totalTokens } from "../../src/record/tokens.ts";
import { A, at, E, event, M, open, R, TD, TS, U, type Line } from "../cases/build.ts";
import { NO_COLOUR, SAMPLE_ROOTS, samples } from "./formats.ts";
import { DAYS, month } from "./month.ts";
import { cases } from "../nightly.ts";

const CORPUS = fileURLToPath(new URL("../fixtures/corpus/", import.meta.url));

function corpus(): Daybook {
  const under = (prefix: string): string[] =>
    readdirSync(CORPUS)
      .filter((folder) => folder.startsWith(prefix))
      .map((folder) => CORPUS + folder);
  const roots = { codex: under("codex-"), "claude-code": under("claude-") };
  return new Daybook({ roots, timezone: "UTC", env: {}, home: "/nowhere", now: Date.parse("2027-01-01T00:00:00Z") });
}

/** Every turn is in exactly one item, turns add up to the totals, and every format contains every turn. */
function expectComplete(report: DayReport): void {
  const { projects, totals } = report;
  let [turns, tokens, commits, duration] = [0, 0, 0, 0];
  for (const project of projects) {
    const byCitation = new Map(project.turns.map((turn) => [turn.citation, turn]));
    const listed = (project.items ?? []).flatMap((item) => item.turns);
    expect(listed.toSorted()).toEqual([...byCitation.keys()].toSorted());
    const listedTurns = listed.flatMap((citation) => byCitation.get(citation) ?? []);
    turns += listedTurns.length;
    tokens +=
      listedTurns.reduce((sum, turn) => sum + totalTokens(turn.usage_with_children), 0) +
      totalTokens(project.other_usage);
    commits += listedTurns.reduce((sum, turn) => sum + (turn.commits?.length ?? 0), 0);
    duration += listedTurns.reduce((sum, turn) => sum + (turn.duration_ms ?? 0), 0);
  }
  expect({ turns, tokens, commits, duration }).toEqual({
    turns: totals.turns,
    tokens: totalTokens(totals.usage),
    commits: totals.commits,
    duration: totals.duration_ms,
  });
  expect(report.balance.turn_tokens + report.balance.other_tokens).toBe(tokens);

  const all = projects.flatMap((project, i) => project.turns.map((turn) => ({ turn, i })));
  const page = renderHtml(report);
  const anchors = [...page.matchAll(/<div class="turn" id="([^"]+)">/g)].map(([, id = ""]) => id);
  const idOf = ({ turn, i }: { turn: ReportTurn; i: number }): string =>
    `p${i + 1}-${turn.session_ref}-${turn.turn_ref}`;
  expect(anchors.toSorted()).toEqual(all.map(idOf).toSorted());

  const citations = all.map(({ turn }) => turn.citation).toSorted();
  const headings = [...renderMarkdown(report).matchAll(/^### .* · `(\S+\/T\d+:[\d-]+)`$/gm)].map(([, one = ""]) => one);
  expect(headings.toSorted()).toEqual(citations);
  // In the terminal the line may be wrapped before the citation.
  const full = [...renderFull(report, NO_COLOUR, 200).matchAll(/(?:^| · )\s*(\S+\/T\d+:\d+(?:-\d+)?)$/gm)];
  for (const citation of citations)
    expect(full.filter(([, one]) => one === citation).length, citation).toBeGreaterThanOrEqual(1);

  // The summary states how many items it leaves out.
  if (report.span.kind !== "day") return;
  const lines = renderSummary(report, NO_COLOUR, 120).split("\n");
  const shown = lines.filter((line) => /^ {2}[✓!■✗◔] \d\d:\d\d /.test(line)).length;
  const more = lines.flatMap((line) => /^ {2}and (\d+) more \(--full\)$/.exec(line)?.[1] ?? []);
  const human = projects.map((project) =>
    itemsIn({ ...project, turns: project.turns.filter(({ trigger }) => trigger.entry !== "automated") }),
  );
  expect(shown + more.reduce((sum, n) => sum + Number(n), 0)).toBe(human.reduce((sum, list) => sum + list.length, 0));
}

const WORDS = "add fix push check run cache index report zone price parser lock".split(" ");
const request = fc.record({
  session: fc.integer({ min: 0, max: 4 }),
  minute: fc.integer({ min: 0, max: 1300 }),
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 0, maxLength: 6 }),
  answer: fc.option(fc.array(fc.constantFrom(...WORDS, "Done.", "`code`", "\n- "), { maxLength: 12 }), { nil: null }),
  end: fc.constantFrom("complete", "aborted", "none"),
  tokens: fc.integer({ min: 0, max: 900 }),
});

function book(list: readonly (typeof request extends fc.Arbitrary<infer T> ? T : never)[]): Daybook {
  const files: Record<string, Line[]> = {};
  const totals = new Map<number, number>();
  let n = 0;
  for (const { session, minute, words, answer, end, tokens } of list.toSorted((a, b) => a.minute - b.minute)) {
    const lines = (files[`rollout-${session}.jsonl`] ??= [M(`s${session}`, { cwd: `/nowhere/app${session % 3}` })]);
    const time = new Date(Date.parse("2026-05-12T00:00:00Z") + minute * 60_000).toISOString();
    const total = (totals.get(session) ?? 0) + tokens;
    totals.set(session, total);
    const turn = `t${n++}`;
    const text = words.join(" ") || "?";
    const records = [
      TS(turn),
      R(text),
      E(text),
      ...(answer === null ? [] : [A(answer.join(" "))]),
      ...(tokens > 0 ? [U(total, tokens)] : []),
      ...(end === "complete" ? [TD(turn)] : []),
      ...(end === "aborted" ? [event("turn_aborted", { reason: "interrupted", turn_id: turn })] : []),
    ];
    lines.push(...records.map((line) => at(time, line)));
  }
  return open({ codex: files });
}

describe("every trigger is in every format, and items add up to the totals", () => {
  it("for generated sessions", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 14 }), async (list) => {
        expectComplete(await book(list).report({ date: "2026-05-12" }));
      }),
      { numRuns: cases(15, 40) },
    );
  });

  it("for the month, by day and by week", async () => {
    const daybook = month();
    for (const date of DAYS) expectComplete(await daybook.report({ date }));
    expectComplete(await daybook.report({ week: true, date: "2026-09-09" }));
    daybook.close();
  });

  it("for the samples and for genuine sessions with sub-agents, forks and resumes", async () => {
    for (const date of ["2026-05-11", "2026-05-12"]) expectComplete(await samples(SAMPLE_ROOTS).report({ date }));
    const genuine = corpus();
    expectComplete(await genuine.report({ since: "2025-01-01", until: "2026-12-31" }));
    expectComplete(await genuine.report({ date: "2026-11-15" }));
  });
});
