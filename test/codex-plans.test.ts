import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { DecisionView } from "../src/views/decision-view.ts";
import { Daybook } from "../src/answers/daybook.ts";
import { A, codex, codexLine, E, event, ITEM, M, R, TD, type Line } from "./cases/build.ts";

const STORE = fileURLToPath(new URL("./fixtures/codex-plans/", import.meta.url));
const book = new Daybook({ roots: { codex: [STORE] }, env: {}, home: "/nowhere", timezone: "UTC" });

const told = ({ title, choice, free_text: said, answered, turn_ref }: DecisionView): unknown[] => [
  turn_ref,
  title,
  ...(answered ? [choice, said] : ["unanswered"]),
];

async function answers(of: Daybook, session: string): Promise<unknown[][]> {
  return (await of.decisions()).filter(({ session_id }) => session_id.startsWith(session)).map(told);
}

describe("plans that Codex shows for approval, in genuine sessions", () => {
  // In the last one, the human chose to carry out the plan in another thread.
  const expected = [
    ["T0001", "Approve the plan: Plan one", "Keep planning", "No, use German instead. [lab:propose2]"],
    ["T0002", "Approve the plan: Plan two", "Approve", null],
    ["T0004", "Approve the plan: Plan one", "Keep planning", "Forget the plan, just say hello. [lab:hello]"],
    ["T0006", "Approve the plan: Plan one", "unanswered"],
  ];

  it("are decisions, accepted by the choice of the human or refused in words (0.169)", async () => {
    expect(await answers(book, "01a1ef14-f7e7")).toEqual(expected);
  });

  it("are read alike where plans are events beside messages (0.130)", async () => {
    expect(await answers(book, "01a1ef1b")).toEqual(expected);
  });

  it("are carried out by a command: the client wrote the prompt", async () => {
    const turns = (await book.turns()).filter(({ trigger }) => trigger.kind === "command");
    expect(turns.map(({ trigger }) => trigger.text?.slice(0, 40))).toEqual([
      "Implement the plan.",
      "Read the approved plan at /srv/dev/home/",
      "Implement the plan.",
      "A previous agent produced the plan below",
    ]);
    expect((await book.audit()).balanced).toBe(true);
  });

  it("are listed with their turns", async () => {
    const [turn] = await book.turns({ session: "01a1ef14-f7e7" });
    const asked = await book.decisions({ session: "01a1ef14-f7e7" });
    expect(turn?.decisions).toEqual([asked[0]?.id]);
  });
});

describe("what follows a plan", () => {
  const task = (id: string, mode: string, ...lines: Line[]): Line[] => [
    event("task_started", { turn_id: id, collaboration_mode_kind: mode }),
    ...lines,
    TD(id),
  ];
  const prompt = (text: string): Line[] => [R(text), E(text)];
  const plan = task("t1", "plan", ...prompt("plan it"), ITEM("Plan", { text: "# Rename\n1. all" }), A("see the plan"));

  it("is no choice if the human leaves plan mode with other words", async () => {
    const lines = codex(M("s"), ...plan, ...task("t2", "default", ...prompt("What about the tests?"), A("fine")));
    expect(await answers(lines, "s")).toEqual([["T0001", "Approve the plan: Rename", null, "What about the tests?"]]);
  });

  it("is an approval if a client sends the plan itself, in whichever language", async () => {
    const text = "Bitte umsetzen:\n\n# Rename\n1. all";
    const lines = codex(M("s"), ...plan, ...task("t2", "default", ...prompt(text), A("done")));
    expect(await answers(lines, "s")).toEqual([["T0001", "Approve the plan: Rename", "Approve", text]]);
  });

  it("is open again when the answer is taken back", async () => {
    const answer = task("t2", "plan", ...prompt("no"), A("why not?"));
    const back = event("thread_rolled_back", { num_turns: 1 });
    const again = task("t3", "default", ...prompt("Implement the plan."), A("done"));
    expect(await answers(codex(M("s"), ...plan, ...answer), "s")).toEqual([
      ["T0001", "Approve the plan: Rename", "Keep planning", "no"],
    ]);
    expect(await answers(codex(M("s"), ...plan, ...answer, back), "s")).toEqual([
      ["T0001", "Approve the plan: Rename", "unanswered"],
    ]);
    expect(await answers(codex(M("s"), ...plan, ...answer, back, ...again), "s")).toEqual([
      ["T0001", "Approve the plan: Rename", "Approve", null],
    ]);
  });

  it("is not asked of the human by a sub-agent", async () => {
    const header = codexLine("session_meta", { id: "s", source: { subagent: { thread_spawn: {} } } });
    expect(await answers(codex(header, ...plan), "s")).toEqual([]);
  });
});
