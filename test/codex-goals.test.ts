import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Daybook } from "../src/answers/daybook.ts";
import type { TurnView } from "../src/views/turn-view.ts";

// Genuine sessions, see test/fixtures/README.md. The numbers are the output tokens that the scripted model served for
// each request.
const GOALS = fileURLToPath(new URL("./fixtures/codex-goals/", import.meta.url));
const book = new Daybook({ roots: { codex: [GOALS] }, env: {}, home: "/nowhere", timezone: "UTC" });

async function turnsOf(session: string): Promise<TurnView[]> {
  return (await book.turns()).filter(({ session_id }) => session_id.startsWith(session));
}

const told = ({ trigger, outcome, usage }: TurnView): string =>
  `${trigger.kind}: ${trigger.text?.replace(/ \[lab:.*\]$/u, "")}: ${outcome}, ${usage.output_tokens}`;

describe("a goal set by the human owns what Codex does for it", () => {
  it("with a prompt during it, a pause, a prompt between, and a goal edited later (0.169)", async () => {
    expect((await turnsOf("01a1eec7")).map(told)).toEqual([
      "command: /goal Do the slow lab goal.: completed, 3493",
      "queued: Steered during the goal.: completed, 696",
      "prompt: Prompt while the goal is paused.: completed, 702",
      "command: /goal resume: completed, 1409",
      "command: /goal Edited objective of the lab goal.: completed, 1413",
      "prompt: After all.: completed, 708",
    ]);
  });

  it("set while a prompt runs, interrupted, replaced; one made by the model belongs to the prompt (0.169)", async () => {
    expect((await turnsOf("01a1eec9")).map(told)).toEqual([
      "prompt: Please set yourself a goal.: completed, 5720",
      "prompt: A slow prompt.: completed, 1443",
      "command: /goal A goal set while a prompt runs.: aborted, 2175",
      "command: /goal resume: completed, 1455",
      "command: /goal A goal that replaces the running one.: completed, 1459",
      "command: /goal Another slow goal before the restart.: completed, 1463",
      "prompt: After all.: completed, 733",
    ]);
  });

  it("edited while it is worked on, and resumed after the agent gave up (0.169)", async () => {
    expect((await turnsOf("01a1eee5")).map(told)).toEqual([
      "command: /goal Slow goal to be edited.: completed, 834",
      "queued: /goal Edited while it runs.: completed, 3346",
      "command: /goal Be blocked.: completed, 2520",
      "command: /goal resume: completed, 1685",
    ]);
  });

  it("where tasks do not state what caused them (0.154)", async () => {
    expect((await turnsOf("01a1eed0")).map(told)).toEqual([
      "prompt: Work before the goal.: completed, 1537",
      "command: /goal Reach the lab goal in three parts.: completed, 4641",
      "prompt: Work after the goal.: completed, 777",
      "command: /goal Do the slow lab goal.: aborted, 1561",
      "queued: Steered during the goal.: completed, 780",
      "prompt: Prompt while the goal is paused.: completed, 783",
      "command: /goal resume: completed, 1571",
      "command: /goal Edited objective of the lab goal.: completed, 1575",
      "prompt: Please set yourself a goal.: completed, 3167",
      "prompt: After all.: completed, 795",
    ]);
  });

  it("where only its tasks tell that there is a goal (0.135)", async () => {
    expect((await turnsOf("01a1eed2")).map(told)).toEqual([
      "prompt: Work before the goal.: completed, 1597",
      "command: /goal Reach the lab goal in three parts.: completed, 4815",
      "prompt: Work after the goal.: completed, 806",
      // The human interrupted a task; Codex continued on its own after the next prompt.
      "command: /goal Do the slow lab goal.: aborted, 4866",
      "queued: Steered during the goal.: completed, 808",
      "prompt: Prompt while the goal is paused.: completed, 810",
      "command: /goal Edited objective of the lab goal.: completed, 1631",
      "prompt: Please set yourself a goal.: completed, 3274",
      "prompt: After all.: completed, 821",
    ]);
  });

  it("with every record owned or accounted for, and no setup of a later prompt among them", async () => {
    const audit = await book.audit();
    expect(audit.balanced).toBe(true);
    expect(audit.sessions.map(({ owners }) => owners.unowned)).toEqual([0, 0, 0, 0, 0]);
    const goal = "01a1eec7-fd97-7811-8d2a-bf187fa66172";
    // The second task of the goal, which began after a prompt that was typed during the first.
    const lines = await Promise.all([32, 34, 36, 48].map((line) => book.explain(`${goal}:${line}`)));
    expect(lines.map(([record]) => record?.turn_ref)).toEqual(["T0001", "T0001", "T0001", "T0001"]);
    expect(lines.map(([record]) => record?.class)).toEqual(["reaction", "reaction", "reaction", "reaction"]);
  });
});
