import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Daybook } from "../src/answers/daybook.ts";
import { sessionKey, turnKey } from "../src/record/session-key.ts";
import type { TurnView } from "../src/views/turn-view.ts";
import { askingOf } from "./http/serving.ts";
import { copyCorpus, open, scratch } from "./store/fixture.ts";

/** Every figure of a turn that several surfaces print is the same on all of them. */
describe("the figures of a turn", () => {
  let daybook: Daybook | undefined;
  let turns: readonly TurnView[] = [];
  beforeAll(async () => {
    daybook = open(copyCorpus().roots, scratch("book"), { timezone: "UTC" });
    turns = await daybook.turns();
    expect(turns.length).toBeGreaterThan(300);
  });
  afterAll(() => daybook?.close());

  const opened = (): Daybook => daybook ?? expect.fail("not open");

  it("are the same in a report", async () => {
    const { projects } = await opened().report({ since: "2020-01-01", redact: false });
    const reported = new Map(projects.flatMap((one) => one.turns).map((turn) => [turnKey(turn), turn]));
    const timed = turns.filter(({ trigger }) => trigger.time !== null);
    expect(reported.size).toBe(timed.length);
    for (const turn of timed) {
      const found = reported.get(turnKey(turn));
      const { outcome, outcome_detail, taken_back, duration_ms, ended_at, usage, usage_with_children } = turn;
      const same = { outcome, outcome_detail, taken_back, duration_ms, ended_at, usage, usage_with_children };
      expect(found).toMatchObject(same);
      expect(found?.tools.total).toBe(turn.tools.total);
    }
  });

  it("add up to those of their session, and are the same in the page's API", async () => {
    const ask = askingOf(opened());
    const sessions = await opened().sessions();
    const calls = await opened().tools();
    for (const session of sessions) {
      const own = turns.filter((turn) => sessionKey(turn) === sessionKey(session));
      expect([sessionKey(session), own.length]).toEqual([sessionKey(session), session.turns]);
      const path = `/api/sessions/${encodeURIComponent(session.source)}/${encodeURIComponent(session.session_id)}`;
      const answer = (await (await ask(path)).json()) as { turns: TurnView[] };
      expect(answer.turns.map(figures)).toEqual(own.map(figures));
    }
    // A call that another call made is listed, and counts for neither turn nor session.
    for (const turn of turns) {
      const listed = calls.filter(
        (call) =>
          sessionKey(call) === sessionKey(turn) && call.turn_ref === turn.turn_ref && call.parent_call_id === null,
      );
      expect([turnKey(turn), listed.length]).toEqual([turnKey(turn), turn.tools.total]);
    }
  });

  it("are the same in usage by turn", async () => {
    const { rows } = await opened().usage({ group: "turn", by: "trigger", breakdown: false, order: "asc" });
    const spent = new Map(rows.map((row) => [row.period, row]));
    for (const turn of turns) {
      const row = spent.get(turnKey(turn));
      const { input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, cost_usd } =
        turn.usage_with_children;
      if (!row) expect([turnKey(turn), input_tokens + cached_input_tokens + output_tokens]).toEqual([turnKey(turn), 0]);
      else
        expect(row).toMatchObject({ input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, cost_usd });
    }
  });
});

function figures(turn: TurnView): unknown {
  const { turn_ref, outcome, duration_ms, tools, usage, usage_with_children, started_at, ended_at } = turn;
  return { turn_ref, outcome, duration_ms, tools, usage, usage_with_children, started_at, ended_at };
}
