import { describe, expect, it } from "vitest";
import {
  A,
  at,
  CA,
  claude,
  claudeLine,
  classes,
  codex,
  CU,
  DEV,
  E,
  ENV,
  event,
  M,
  only,
  open,
  R,
  spans,
  spansOf,
  TC,
  TD,
  TS,
  U,
  type Lines,
} from "./build.ts";

// Around the midnight between the 11th and the 12th in Shanghai.
const late = (time: string): string => new Date(`2026-05-11T${time}+08:00`).toISOString();
const early = (time: string): string => new Date(`2026-05-12T${time}+08:00`).toISOString();

/** A prompt and its answer on a day of May. */
const onDay = (n: number): Lines => [R(`R${n}`), A("a")].map((line) => at(`2026-05-${n}T08:00:00.000Z`, line));

/** Section D: spans. Case 60 is about the workspace. */
describe("D. spans", () => {
  it.each([
    ["known", event("warning", { message: "x" })],
    ["unknown", event("novelty")],
  ])("case 52: setup lines before a trigger belong to no turn; a %s event after it is a reaction", async (_, other) => {
    const book = codex(M("case"), R("R1"), A("a"), TC(), TS(), DEV(), R(ENV), R("R2"), other);
    expect(await spans(book)).toEqual([
      [2, 3],
      [8, 9],
    ]);
    for (const line of [4, 5, 6, 7]) {
      expect(await book.explain(`case:${line}`)).toMatchObject([{ class: "setup", turn_ref: null, prepares: "T0002" }]);
    }
    expect(await book.audit()).toMatchObject({ balanced: true, totals: { records: { setup: 4 } } });
  });

  it("case 53: a turn begins at its prompt, not at the start of its task", async () => {
    const first = [M("s"), TS(), TC(), R("R1"), E("R1"), A("a")];
    const second = [TC(), R(ENV), event("turn_started"), R("R2"), E("R2"), A("b")];
    const turns = await codex(...first, ...second).turns();
    expect(turns.map((turn) => [turn.turn_ref, turn.start_line, turn.end_line])).toEqual([
      ["T0001", 4, 6],
      ["T0002", 10, 12],
    ]);
  });

  it.each([
    ["task_complete", TD()],
    ["token_count", U(5, 5)],
  ])("case 55: a %s before the next turn's setup lines belongs to the earlier turn", async (_, line) => {
    expect(await spans(codex(M("s"), TS(), R("R1"), A("a"), line, TS(), TC(), R("R2")))).toEqual([
      [3, 5],
      [8, 8],
    ]);
  });

  it("case 56: a malformed line before a prompt belongs to the previous turn, with the setup line before it", async () => {
    expect(await spans(codex(M("s"), R("R1"), A("a"), TS(), "{ broken", R("R2")))).toEqual([
      [2, 5],
      [6, 6],
    ]);
  });

  describe("case 57: a turn belongs to the day of its trigger, even if it continues after midnight", () => {
    const zone = "Asia/Shanghai";
    const lines = [
      at(late("23:59:00"), M("night")),
      at(late("23:59:20"), TS()),
      at(late("23:59:20"), TC()),
      at(late("23:59:30"), R("R1")),
      ...["23:59:40", "23:59:50", "23:59:59"].map((time) => at(late(time), A(time))),
      ...["00:00:01", "00:00:04", "00:00:07", "00:00:09", "00:00:11"].map((time) => at(early(time), A(time))),
      at(early("00:00:12"), TD()),
      at(early("00:02:00"), TS()),
      at(early("00:02:00"), TC()),
      at(early("00:02:10"), R("R2")),
      at(early("00:02:11"), E("R2")),
      at(early("00:02:20"), A("b")),
    ];

    it("each day lists its own turn with all its lines", async () => {
      const book = open({ codex: { "rollout-night.jsonl": lines } }, { timezone: zone });
      const day1 = only(await book.turns({ since: "2026-05-11", until: "2026-05-11" }));
      expect(spansOf([day1])).toEqual([[4, 13]]);
      expect(day1).toMatchObject({ turn_ref: "T0001", ended_at: early("00:00:12") });
      const day2 = only(await book.turns({ since: "2026-05-12", until: "2026-05-12" }));
      expect(spansOf([day2])).toEqual([[16, 18]]);
      // The case says T0001 again: refs local to an index row of a day's workspace. Here refs count the turns of the
      // session (`daybook show SESSION/T0002`), so that a turn has one name whatever was asked.
      expect(day2.turn_ref).toBe("T0002");
    });
  });

  it("case 58: a turn ends at the next trigger, even if that is outside the range", async () => {
    const book = codex(M("s"), ...onDay(11), ...onDay(12), ...onDay(13));
    expect(spansOf(await book.turns({ since: "2026-05-12", until: "2026-05-12" }))).toEqual([[4, 5]]);
  });

  it("case 61: Claude's records about the session belong to no turn, records about the turn do", async () => {
    const book = claude(
      CU("R1"),
      CA("a", { stop: "end_turn" }),
      claudeLine("system", { subtype: "stop_hook_summary" }),
      claudeLine("system", { subtype: "turn_duration", durationMs: 900 }),
      claudeLine("system", { subtype: "away_summary", content: "while you were away" }),
      { type: "file-history-snapshot", messageId: "m", snapshot: {} },
      { type: "permission-mode", permissionMode: "default", sessionId: "case" },
      { type: "last-prompt", lastPrompt: "R1", sessionId: "case" },
      { type: "ai-title", aiTitle: "A title", sessionId: "case" },
      { type: "custom-title", customTitle: "My title", sessionId: "case" },
      CU("R2"),
      CA("b", { stop: "end_turn" }),
    );
    expect(await spans(book)).toEqual([
      [1, 4],
      [11, 12],
    ]);
    const found = await classes(book, 12);
    expect(found.slice(4, 10)).toEqual(["session", "session", "session", "session", "session", "session"]);
    expect([...found.slice(0, 4), ...found.slice(10)]).toEqual([
      "trigger",
      "reaction",
      "reaction",
      "reaction",
      "trigger",
      "reaction",
    ]);
    for (const line of [5, 6, 7, 8, 9, 10]) expect(only(await book.explain(`case:${line}`)).turn_ref).toBeNull();
  });

  it("a prompt without a time has the time of the next timed record, or of the previous one", async () => {
    const day = (n: number, line: ReturnType<typeof R>): ReturnType<typeof R> => at(`2026-05-${n}T08:00:00.000Z`, line);
    const book = codex(
      day(10, M("case")),
      day(10, R("one")),
      day(10, A("a")),
      at(null, R("two")),
      at(null, E("two")),
      day(12, A("b")),
      at(null, R("three")),
    );
    expect((await book.turns()).map(({ trigger }) => [trigger.text, trigger.time?.slice(0, 10)])).toEqual([
      ["one", "2026-05-10"],
      ["two", "2026-05-12"],
      ["three", "2026-05-12"],
    ]);
    const report = await book.report({ date: "2026-05-12" });
    expect(report.projects.flatMap(({ turns }) => turns.map(({ trigger }) => trigger.text))).toEqual(["two", "three"]);
    // No timed record precedes it.
    const first = codex(at(null, M("case")), at(null, R("opening")), day(12, A("a")));
    expect((await first.turns())[0]?.trigger.time).toBe("2026-05-12T08:00:00.000Z");
  });
});
