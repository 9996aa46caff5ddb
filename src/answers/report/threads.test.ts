import { expect, it } from "vitest";
import { threadsOf, type ThreadTurn } from "./threads.ts";
import { TRUTH } from "../../../test/report/month.ts";

/** The month's turns by project; `merged`: as if each day of a project were one session. */
function byProject(merged: boolean): Map<string, (ThreadTurn & { goal: string })[]> {
  const projects = new Map<string, (ThreadTurn & { goal: string })[]>();
  for (const { session, project, automated, turns } of TRUTH.sessions) {
    if (automated) continue;
    const list = projects.get(project) ?? [];
    projects.set(project, list);
    for (const { turn, time, day, text, final, goal, commits } of turns)
      list.push({
        session: merged ? day : session,
        ref: `${session}/${turn}`,
        time: Date.parse(time),
        until: Date.parse(time),
        prompt: text,
        final: final ?? "",
        files: [],
        subjects: commits.flatMap(({ subject }) => subject ?? []),
        goal,
      });
  }
  for (const list of projects.values()) list.sort((a, b) => a.time - b.time);
  return projects;
}

/** Of the turns in the thread of a turn, how many share its goal, and the other way round; the mean over all turns. */
function agreement(merged: boolean): { precision: number; recall: number } {
  let [precision, recall, count] = [0, 0, 0];
  for (const [project, turns] of byProject(merged)) {
    const threads = threadsOf(turns, project, "sure");
    expect(threads.flatMap((thread) => thread.turns).length).toBe(turns.length);
    const threadOf = new Map(threads.flatMap((thread) => thread.turns.map((turn) => [turn, thread] as const)));
    for (const turn of turns) {
      const mine = threadOf.get(turn)?.turns ?? [];
      const wanted = turns.filter(({ goal }) => goal === turn.goal);
      const both = mine.filter(({ goal }) => goal === turn.goal).length;
      precision += both / mine.length;
      recall += both / wanted.length;
      count++;
    }
  }
  return { precision: precision / count, recall: recall / count };
}

it("threads follow goals over sessions and agents", () => {
  const { precision, recall } = agreement(false);
  expect(precision).toBeGreaterThanOrEqual(0.97);
  expect(recall).toBeGreaterThanOrEqual(0.9);
});

it("a session of many goals is told apart", () => {
  const { precision, recall } = agreement(true);
  expect(precision).toBeGreaterThanOrEqual(0.75);
  expect(recall).toBeGreaterThanOrEqual(0.8);
});
