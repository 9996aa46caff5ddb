import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Daybook } from "../src/answers/daybook.ts";
import * as make from "./cases/build.ts";
import { LABELS, open } from "./store/fixture.ts";
import { CORPUS, sourceOfCorpus } from "./truth.ts";

/** Decision ids by `SESSION/TURN`: as the turns list them, and as the decisions name their turn. */
async function decisionsByTurn(daybook: Daybook): Promise<{ byTurn: unknown; byDecision: unknown; count: number }> {
  const turns = await daybook.turns();
  const decisions = (await daybook.decisions()).filter(({ turn_ref }) => turn_ref !== null);
  const byTurn = new Map(
    turns.flatMap((turn) => (turn.decisions?.length ? [[nameOf(turn), turn.decisions.toSorted()] as const] : [])),
  );
  const byDecision = new Map<string, string[]>();
  for (const decision of decisions)
    byDecision.set(nameOf(decision), [...(byDecision.get(nameOf(decision)) ?? []), decision.id ?? ""].toSorted());
  return { byTurn: sorted(byTurn), byDecision: sorted(byDecision), count: decisions.length };
}

function nameOf({
  source,
  session_id,
  turn_ref,
}: {
  source: string;
  session_id: string;
  turn_ref: string | null;
}): string {
  return `${source}/${session_id}/${turn_ref ?? ""}`;
}

function sorted(map: Map<string, string[]>): [string, string[]][] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const { M, TS, TD, R, E, A, EA, CU, CA, CT, CALL, OUT, toolUse, event } = make;
const BRIEF = "D1 — Ship?\nA) Now (recommended)\nB) Later";

const FILES: Record<string, make.Files> = {
  "briefs written once and twice, asked again, and rolled back": {
    codex: {
      "a.jsonl": [
        M("briefs"),
        TS(),
        R("go"),
        E("go"),
        EA(BRIEF),
        A(BRIEF),
        TD(),
        TS(),
        R("B"),
        E("B"),
        A(BRIEF),
        TD(),
        TS(),
        R("what?"),
        E("what?"),
        A(`${BRIEF}\n\nD2 — Tell?\nA) Yes\nB) No`),
        TD(),
        event("thread_rolled_back", { num_turns: 2 }),
        TS(),
        R("again"),
        E("again"),
        A(BRIEF),
        TD(),
      ],
    },
  },
  "a brief that is also asked with a tool, an answer, and a question that was never shown": {
    codex: {
      "a.jsonl": [
        M("tool"),
        TS(),
        R("go"),
        E("go"),
        A("D1 — Colour?\nA) Red\nB) Blue"),
        CALL("c1", "request_user_input", {
          questions: [{ id: "q", header: "Q", question: "Colour?", options: [{ label: "Red" }, { label: "Blue" }] }],
        }),
        OUT("c1", JSON.stringify({ answers: { q: { answers: ["Red"] } } })),
        CALL("c2", "request_user_input", { questions: [{ id: "p", question: "Size?", options: [] }] }),
        OUT("c2", "request_user_input is unavailable in Default mode"),
        TD(),
      ],
    },
  },
  "decisions in prose, one of them taken back, one in a turn that was interrupted": {
    codex: {
      "a.jsonl": [
        M("prose"),
        TS(),
        R("how?"),
        E("how?"),
        A("Two ways:\n\nA) a queue\nB) a timer\n\nWhich one?"),
        TD(),
        TS(),
        R("B"),
        E("B"),
        A("Done. Shall I also add a metric for it?"),
        TD(),
        event("thread_rolled_back", { num_turns: 1 }),
        TS(),
        R("A, we have one already"),
        E("A, we have one already"),
        event("turn_aborted", { reason: "interrupted" }),
      ],
    },
  },
  "denials by a human and by a rule, a plan, and two questions in one call": {
    claude: {
      "11111111-2222-4333-8444-555555555555.jsonl": [
        CU("go"),
        CA([toolUse("t1", "Bash", { command: "rm x" })]),
        CT(
          "t1",
          "The user doesn't want to proceed with this tool use. The tool use was rejected.",
          {},
          { is_error: true },
        ),
        CU("then plan"),
        CA([toolUse("t2", "ExitPlanMode", { plan: "# Plan\n1. x" })]),
        CT("t2", "User has approved your plan. You can now start coding."),
        CA([toolUse("t3", "Bash", { command: "curl x" })]),
        CT("t3", "Permission to use Bash has been denied by a rule.", {}, { is_error: true }),
        CA([
          toolUse("t4", "AskUserQuestion", {
            questions: [
              { question: "One?", header: "1", options: [{ label: "a" }, { label: "b" }] },
              { question: "Two?", header: "2", options: [{ label: "a" }, { label: "b" }] },
            ],
          }),
        ]),
        CT(
          "t4",
          'User has answered your questions: "One?"="a", "Two?"="b". You can now continue with the user\'s answers in mind.',
        ),
        CA("done"),
      ],
    },
  },
};

describe("the decisions of a turn", () => {
  it.each(Object.entries(FILES))("are those that name the turn: %s", async (_, files) => {
    const { byTurn, byDecision, count } = await decisionsByTurn(make.open(files));
    expect(count).toBeGreaterThan(0);
    expect(byTurn).toEqual(byDecision);
  });

  it("are those that name the turn, in every genuine session", async () => {
    const roots: Record<string, string[]> = {};
    for (const label of LABELS) (roots[sourceOfCorpus(label)] ??= []).push(join(CORPUS, label));
    const { byTurn, byDecision, count } = await decisionsByTurn(open(roots));
    expect(count).toBeGreaterThan(1);
    expect(byTurn).toEqual(byDecision);
  });
});
