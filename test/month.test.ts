import { describe, expect, it } from "vitest";
import { Daybook } from "../src/answers/daybook.ts";
import { differences } from "./truth/differences.ts";
import { expectedTurns, MONTH, monthSessions, actualTurns } from "./truth/month.ts";
import { answersOf } from "./truth/actual.ts";

describe("a month of one developer's sessions", () => {
  const daybook = new Daybook({
    roots: { "claude-code": [`${MONTH}claude`], codex: [`${MONTH}codex`] },
    timezone: "Europe/Berlin",
    env: {},
    home: "/nowhere",
  });
  const sessions = monthSessions();

  it("has every session and every sub-agent", async () => {
    const views = await daybook.sessions();
    const roots = views.filter((view) => view.kind === "root");
    expect(roots.map((view) => `${view.source}/${view.session_id} ${view.cwd}`).toSorted()).toEqual(
      sessions.map(({ source, session, cwd }) => `${source}/${session} ${cwd}`).toSorted(),
    );
    const children = sessions.flatMap(({ turns }) => turns.flatMap((turn) => turn.subagents));
    expect(views.length - roots.length).toBe(children.length);
  });

  it("has the expected turns in every session", async () => {
    const actual = await answersOf(daybook);
    for (const session of sessions)
      expect(differences(expectedTurns(session), actualTurns(actual, session)), session.session).toEqual([]);
  });

  it("balances in the audit", async () => {
    expect((await daybook.audit()).balanced).toBe(true);
  });
});
