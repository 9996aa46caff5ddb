import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { Daybook, inside } from "../../src/answers/daybook.ts";
import { turnText } from "../../src/narrate/batches.ts";
import { shownBy } from "../../src/narrate/checks/claims.ts";
import { citationProblems, spansOf } from "../../src/narrate/checks/citations.ts";
import { outcomeLineProblems } from "../../src/narrate/checks/outcome-lines.ts";
import { quoteProblems } from "../../src/narrate/checks/quotes.ts";
import { scopeOfSpans, scopeOfTurns } from "../../src/narrate/checks/scope.ts";
import { statementProblems } from "../../src/narrate/checks/statement.ts";
import { turnFactsText } from "../../src/narrate/facts.ts";
import { sessionEvidence } from "../../src/narrate/session-evidence.ts";
import type { TurnEvidence } from "../../src/narrate/turn-evidence.ts";
import { Redactor } from "../../src/base/redact/redact.ts";
import { loadWorkspace } from "../../src/answers/workspace/load.ts";
import { prepareWorkspace } from "../../src/answers/workspace/prepare.ts";

/**
 * Runs the checks over the month fixture. Its TRUTH.json has one true sentence for each turn, and the final messages of
 * the agents.
 */

const MONTH = fileURLToPath(new URL("../fixtures/month/", import.meta.url));
const NOW = Date.parse("2026-09-20T12:00:00Z");

interface TrueTurn {
  turn: string;
  story_ref: string;
  day: string;
  result: string | null;
  final: string | null;
  commits: unknown[];
  files: unknown[];
}
const TRUTH = JSON.parse(readFileSync(join(MONTH, "TRUTH.json"), "utf8")) as {
  sessions: { session: string; turns: TrueTurn[] }[];
  days: Record<string, unknown>;
};

const turns = new Map<string, TurnEvidence>();

beforeAll(async () => {
  const roots = { "claude-code": [join(MONTH, "claude")], codex: [join(MONTH, "codex")] };
  const home = mkdtempSync(join(tmpdir(), "daybook-month-"));
  const daybook = new Daybook({ roots, timezone: "Europe/Berlin", now: NOW });
  const context = { timezone: "Europe/Berlin", redactor: new Redactor() };
  for (const date of Object.keys(TRUTH.days)) {
    const { workspace } = await prepareWorkspace(inside(daybook), { date, now: NOW, home });
    for (const project of loadWorkspace(workspace).projects)
      for (const row of project.rows)
        for (const turn of await sessionEvidence(project, row, context))
          turns.set(`${row.source_session_id} ${turn.view?.turn_ref}`, turn);
  }
});

/** The texts that do not pass the checks, with the rules they break. */
function rejected(textOf: (turn: TrueTurn) => string | null): string[] {
  return TRUTH.sessions.flatMap(({ session, turns: list }) =>
    list.flatMap((one) => {
      const [evidence, text] = [turns.get(`${session} ${one.turn}`), textOf(one)];
      if (!evidence) return [`${one.story_ref} not found`];
      const problems = text ? statementProblems(text, scopeOfTurns([evidence]), "x") : [];
      return problems.length === 0 ? [] : [`${one.story_ref} ${problems.map(({ rule }) => rule).join(" ")}`];
    }),
  );
}

it("true sentences pass the checks of prose, except one with a number that only the turn before it names", () => {
  expect(turns.size).toBe(166);
  expect(rejected(({ result }) => result)).toEqual(["G05.2 number.unknown"]);
  expect(rejected(({ final }) => final)).toEqual([]);
});

it("true claims are shown, and those the truth knows nothing of are not", () => {
  const seen = { right: 0, lost: [] as string[], false: [] as string[] };
  for (const { session, turns: list } of TRUTH.sessions)
    for (const { turn, story_ref, commits, files } of list) {
      const evidence = turns.get(`${session} ${turn}`);
      if (!evidence) throw new Error(story_ref);
      const scope = scopeOfTurns([evidence]);
      const claims = { committed: commits.length > 0, changed: files.length > 0 };
      for (const [claim, isTrue] of Object.entries(claims)) {
        const shown = shownBy(claim as keyof typeof claims, scope, "");
        if (shown !== null && isTrue) seen.right++;
        else if (isTrue) seen.lost.push(`${story_ref} ${claim}`);
        else if (shown !== null) seen.false.push(`${story_ref} ${claim} ${shown.shown}`);
      }
    }
  // `git revert` commits: the records are right, the truth counts only what was committed by that name.
  expect(seen.false).toEqual(['G55.3 committed commit ee1dff9 “Revert "rename HikeThing"”']);
  expect(seen.right / (seen.right + seen.lost.length)).toBeGreaterThanOrEqual(0.95);
});

it("records of sub-agents are evidence of the turn that started them, in its text and for citations", () => {
  const started = [...turns.values()].filter(({ agents }) => agents.length > 0);
  expect(started.flatMap(({ agents }) => agents.map(({ ref }) => ref))).toEqual(["A1", "A1", "A1", "A1"]);
  for (const turn of started) {
    const [agent] = turn.agents;
    if (!agent) throw new Error("no agent");
    const record = agent.compact.find(({ kind }) => kind === "assistant" || kind === "tool_result");
    const line = record?.line ?? 0;
    expect(turnText(turn)).toContain(`{"agent":"A1","line":${line},`);
    expect(turnFactsText(turn)).toContain(`sub-agent A1`);
    expect(citationProblems([`A1:${line}-${line}`], turn, "x")).toEqual([]);
    expect(outcomeLineProblems(spansOf([`A1:${line}-${line}`]), turn, "x")).toEqual([]);
    // Its prompt came from an agent, not from a human.
    expect(agent.lines.some(({ by }) => by === "human")).toBe(false);
    const text = agent.lines.find((one) => one.line === line)?.text.slice(0, 40) ?? "";
    const quote = `It said “${text.split("\n")[0] ?? ""}”.`;
    expect(quoteProblems(quote, scopeOfSpans(turn, spansOf([`A1:${line}-${line}`])), "x")).toEqual([]);
  }
});
