import { describe, expect, it } from "vitest";
import { Daybook } from "../src/service.ts";
import { differences } from "./truth/differences.ts";
import { expectedTurns, MONTH, monthSessions, toldTurns } from "./truth/month.ts";
import { tell } from "./truth/told.ts";

describe("a month of one developer", () => {
  const daybook = new Daybook({
    roots: { "claude-code": [`${MONTH}claude`], codex: [`${MONTH}codex`] },
    timezone: "Europe/Berlin",
    env: {},
    home: "/nowhere",
  });
  const told = tell(daybook);
  const sessions = monthSessions();

  it("holds every session, and its sub-agents", async () => {
    const views = (await told).sessions;
    const roots = views.filter((view) => view.kind === "root");
    expect(roots.map((view) => `${view.source}/${view.session_id} ${view.cwd}`).toSorted()).toEqual(
      sessions.map(({ source, session, cwd }) => `${source}/${session} ${cwd}`).toSorted(),
    );
    const children = sessions.flatMap(({ turns }) => turns.flatMap((turn) => turn.subagents));
    expect(views.length - roots.length).toBe(children.length);
  });

  it.each(sessions.map((session) => [session.session, session] as const))(
    "tells the turns of %s",
    async (_, session) => {
      expect(differences(expectedTurns(session), toldTurns(await told, session))).toEqual([]);
    },
  );

  it("balances", async () => {
    expect((await daybook.audit()).balanced).toBe(true);
  });
});
