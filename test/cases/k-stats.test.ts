import { inside } from "../../src/answers/daybook.ts";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { questionEvents, type QuestionEvent } from "../../src/teach/events.ts";
import { parseLogLine, type LoggedLine } from "../../src/teach/log-lines.ts";
import { questionLine } from "../../src/turns/decisions/question-log.ts";
import { Preferences } from "../../src/teach/preferences.ts";
import { readRegistry } from "../../src/teach/registry.ts";
import { statsOf, type DecisionStats } from "../../src/teach/stats.ts";
import { CA, claude, codex, CT as settled, CU, E, EA, folder, M, only, TIME, toolUse, write } from "./build.ts";
import { run } from "./workspace.ts";

/** K. The outcome of each question, found in sessions and in the log of the live hook; each question counts once. */

const MARKED = "Tests fail <gstack-qid:ship-test-failure-triage>";
const OPTIONS = [{ label: "Fix now (recommended)" }, { label: "Ship anyway" }];
const ask = (id: string, ...questions: { question: string; options: { label: string }[] }[]): ReturnType<typeof CA> =>
  CA([toolUse(id, "AskUserQuestion", { questions })]);
const CT = (id: string, result: unknown): ReturnType<typeof settled> => settled(id, JSON.stringify(result));
const marked = { question: MARKED, options: OPTIONS };
const plain = { question: "Which colour?", options: [{ label: "Red" }, { label: "Blue" }] };

const BRIEF = "D1 — Test <gstack-qid:ship-todos-create>\nA) Create (recommended)\nB) Skip";

function logged(fields: Record<string, unknown>, slug = "app"): LoggedLine {
  const line = parseLogLine(JSON.stringify({ question_summary: "Tests fail", ts: TIME, ...fields }), slug);
  if (!line) throw new Error("no line");
  return line;
}

const live = (more: Record<string, unknown> = {}): LoggedLine =>
  logged({
    skill: "unknown",
    question_id: "ship-test-failure-triage",
    user_choice: "Fix now",
    recommended: "Fix now",
    followed_recommendation: true,
    source: "hook",
    session_id: "case",
    tool_use_id: "t1",
    ...more,
  });

const stats = (events: QuestionEvent[]): DecisionStats =>
  statsOf(events, readRegistry(null), new Preferences(null, null), (time) => new Date(time).toISOString().slice(0, 10));

describe("a question found in a session and in the log", () => {
  const session = claude(CU("go"), ask("t1", marked), CT("t1", { answers: { [MARKED]: "Fix now" } }));

  it("counts once by the id of its tool call", async () => {
    const event = only(questionEvents(await inside(session).asked(), [live({ ts: "2026-05-12T09:30:00.000Z" })]));
    expect(event).toMatchObject({
      found: "both",
      outcome: "followed",
      source: "hook",
      agent: "claude-code",
      time: TIME,
    });
  });

  it("counts once if two programs logged it", async () => {
    const lines = [live(), live({ question_summary: "the whole text of it", source: "auq-other" })];
    expect(questionEvents(await inside(session).asked(), lines)).toHaveLength(1);
    expect(questionEvents([], lines)).toHaveLength(1);
  });

  it("counts once by the decision's id or by session and time if it was imported", async () => {
    const asked = await inside(codex(M("s1"), E("go"), EA(BRIEF), E("A"))).asked();
    const found = questionLine(only(asked), TIME);
    if (!found || "rejected" in found) throw new Error("no line");
    const { daybook_id: _, ...foreign } = found.line;
    for (const line of [found.line, foreign]) {
      const event = only(questionEvents(asked, [logged(line), logged(line)]));
      expect(event).toMatchObject({ found: "both", source: "codex-import-marker", agent: "codex" });
    }
  });

  it("matches one log line of the agent near the same time", async () => {
    const note = (ts: string): LoggedLine =>
      logged({ ...live().fields, source: "agent", tool_use_id: undefined, session_id: "4711", ts }, only(projects));
    const asked = await inside(session).asked();
    const projects = asked.map(({ decision }) => decision.project);
    expect(questionEvents(asked, [note("2026-05-12T08:01:00Z")])).toHaveLength(1);
    expect(questionEvents(asked, [note("2026-05-12T08:01:00Z"), note("2026-05-12T08:02:00Z")])).toHaveLength(2);
    expect(questionEvents(asked, [note("2026-05-14T08:01:00Z")])).toHaveLength(2);
  });

  it("counts twice if it was asked twice", async () => {
    const twice = claude(
      CU("go"),
      ask("t1", marked),
      CT("t1", { answers: { [MARKED]: "Fix now" } }),
      ask("t2", marked),
      CT("t2", { answers: { [MARKED]: "Ship anyway" } }),
    );
    const lines = [live(), live({ tool_use_id: "t2", user_choice: "Ship anyway", followed_recommendation: false })];
    const events = questionEvents(await inside(twice).asked(), lines);
    expect(events.map(({ outcome, found }) => [outcome, found])).toEqual([
      ["followed", "both"],
      ["overridden", "both"],
    ]);
  });

  it("140 counts separately from another question of the same call, even with the same id", async () => {
    const [first, second] = ["Unit <gstack-qid:ship-x>", "Integration <gstack-qid:ship-x>"];
    const both = claude(
      CU("go"),
      ask("t1", { question: first, options: OPTIONS }, { question: second, options: OPTIONS }),
      CT("t1", { answers: { [first]: "Fix now", [second]: "Ship anyway" } }),
    );
    const lines = [
      live({ question_id: "ship-x", question_summary: "Unit" }),
      live({ question_id: "ship-x", question_summary: "Integration", user_choice: "Ship anyway" }),
    ];
    expect(questionEvents(await inside(both).asked(), lines)).toHaveLength(2);
    expect(questionEvents([], lines)).toHaveLength(2);
  });
});

describe("the outcome of a question", () => {
  it.each([
    ["followed", { answers: { [MARKED]: "Fix now" } }],
    ["overridden", { answers: { [MARKED]: "Ship anyway" } }],
    ["answered_otherwise", { answers: { [MARKED]: "ask the team first" } }],
    ["unclear", { payload: "?" }],
  ])("is %s", async (outcome, result) => {
    const asked = await inside(claude(CU("go"), ask("t1", marked), CT("t1", result))).asked();
    expect(only(questionEvents(asked, [])).outcome).toBe(outcome);
  });

  it("is unanswered without an answer, and no_recommendation without a recommendation", async () => {
    const asked = await inside(
      claude(CU("go"), ask("t1", plain), CT("t1", { answers: { "Which colour?": "Red" } }), ask("t2", marked)),
    ).asked();
    expect(questionEvents(asked, []).map(({ outcome }) => outcome)).toEqual(["no_recommendation", "unanswered"]);
  });

  it("is auto_decided if a preference decided it, whatever the session file says", async () => {
    const denied = claude(CU("go"), ask("t1", marked));
    const event = only(questionEvents(await inside(denied).asked(), [live({ source: "auto-decided" })]));
    expect(event).toMatchObject({ outcome: "auto_decided", choice: "Fix now" });
    const { total, auto_decisions: last } = stats([event]);
    expect(total).toMatchObject({ asked: 0, auto_decided: 1 });
    expect(last).toMatchObject([{ question_id: "ship-test-failure-triage", choice: "Fix now" }]);
  });

  it("follows from the log alone if there is no session", () => {
    const outcomes = [
      live(),
      live({ tool_use_id: "t2", user_choice: "Other", free_text: "wait", source: "auq-other" }),
      live({ tool_use_id: "t3", user_choice: "__unknown__", followed_recommendation: undefined }),
      live({ tool_use_id: "t4", followed_recommendation: "false" }),
    ].map((line) => only(questionEvents([], [line])).outcome);
    expect(outcomes).toEqual(["followed", "answered_otherwise", "unclear", "no_recommendation"]);
  });
});

describe("decision statistics", () => {
  it("add up by project, agent, month and question, with hash ids listed separately", async () => {
    const asked = [
      ...(await inside(
        claude(
          CU("go"),
          ask("t1", marked, plain),
          CT("t1", { answers: { [MARKED]: "Fix now", "Which colour?": "Red" } }),
        ),
      ).asked()),
      ...(await inside(codex(M("s1"), E("go"), EA(BRIEF), E("B"))).asked()),
    ];
    const events = questionEvents(asked, [live({ tool_use_id: "t9", ts: "2026-04-01T00:00:00Z" })]);
    const result = stats(events);
    expect(result.total).toMatchObject({ asked: 4, followed: 2, overridden: 1, no_recommendation: 1 });
    expect(result.marked).toEqual({ questions: 3, of: 4, percent: 75 });
    expect(result.found).toEqual({ in_sessions: 3, in_log: 1, in_both: 0 });
    expect(
      result.questions.map(({ question_id, asked: n, skill, door_type }) => [question_id, n, skill, door_type]),
    ).toEqual([
      ["ship-test-failure-triage", 2, "ship", "one-way"],
      ["ship-todos-create", 1, "ship", "two-way"],
    ]);
    expect(result.unmarked.map(({ question_id }) => question_id.slice(0, 5))).toEqual(["hook-"]);
    for (const list of [result.by_project, result.by_agent, result.by_month, [...result.questions, ...result.unmarked]])
      expect(list.reduce((sum, one) => sum + one.asked, 0)).toBe(4);
    expect(result.by_month.map(({ name }) => name)).toEqual(["2026-05", "2026-04"]);
    expect(result.sources).toEqual([
      { source: "hook", questions: 3 },
      { source: "codex-import-marker", questions: 1 },
    ]);
    expect(result.calibration).toMatchObject({ events: 4, skills: 1, question_ids: 3, days: 2, enough: false });
  });
});

it("the day of a question is its day in the asked time zone", async () => {
  const root = folder();
  write(join(root, "sessions", "rollout-asked.jsonl"), [M("s1"), E("go"), EA(BRIEF), E("A")]);
  const days = ["UTC", "Pacific/Pago_Pago"].map(async (zone) => {
    const { out } = await run(["decisions", "stats", "--root", `codex=${root}`, "-z", zone], {});
    return /ship-todos-create.*(2026-05-\d\d)/.exec(out)?.[1];
  });
  expect(await Promise.all(days)).toEqual(["2026-05-12", "2026-05-11"]);
});
