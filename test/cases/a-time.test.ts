import { describe, expect, it } from "vitest";
import { Daybook } from "../../src/answers/daybook.ts";
import { parseDay, parseRange } from "../../src/base/time/range.ts";
import { iso, Zone } from "../../src/base/time/zone.ts";
import { at, codex, M, open, R } from "./build.ts";

const HOUR = 3_600_000;

function window(zone: string, day: string): { start: string | null; end: string | null; hours: number } {
  const { start, end } = new Zone(zone).dayWindow(day);
  return { start: iso(start), end: iso(end), hours: (end - start) / HOUR };
}

/** Section A: day, zone, window. The cases about defaults of the workspace (2, 6, 7, 12) are in workspace-time.test.ts. */
describe("A. time", () => {
  const shanghai = new Zone("Asia/Shanghai");

  it("case 1: yesterday is the previous day in the zone, with a half-open window in UTC", () => {
    const now = Date.parse("2026-05-20T10:30:00+08:00");
    expect(parseDay("yesterday", shanghai, now)).toBe("2026-05-19");
    expect(window("Asia/Shanghai", "2026-05-19")).toEqual({
      start: "2026-05-18T16:00:00.000Z",
      end: "2026-05-19T16:00:00.000Z",
      hours: 24,
    });
  });

  it("cases 2 and 3: today is the day in the zone, whatever the offset of the current time", () => {
    expect(parseDay("today", shanghai, Date.parse("2026-05-20T01:00:00+08:00"))).toBe("2026-05-20");
    expect(parseDay("today", shanghai, Date.parse("2026-05-19T17:00:00Z"))).toBe("2026-05-20");
  });

  // A day in the future is an error for reports only; lists accept it.
  it("case 5: a date in another format and an unknown zone are errors", async () => {
    expect(() => parseDay("05/19/2026", shanghai, 0)).toThrow("not a date: 05/19/2026");
    expect(() => parseDay("2026-02-30", shanghai, 0)).toThrow("not a date: 2026-02-30");
    expect(() => new Zone("Not/AZone")).toThrow("unknown time zone: Not/AZone");
    expect(() => new Daybook({ timezone: "Not/AZone", env: {}, home: "/nowhere" })).toThrow("unknown time zone");
    await expect(codex(M("s"), R("a")).turns({ since: "05/19/2026" })).rejects.toThrow("not a date");
  });

  it("case 8: days with a clock change have 23 or 25 hours", () => {
    expect(window("America/New_York", "2026-03-08")).toEqual({
      start: "2026-03-08T05:00:00.000Z",
      end: "2026-03-09T04:00:00.000Z",
      hours: 23,
    });
    expect(window("America/New_York", "2026-11-01")).toEqual({
      start: "2026-11-01T04:00:00.000Z",
      end: "2026-11-02T05:00:00.000Z",
      hours: 25,
    });
  });

  it("case 10: day windows are right without a local midnight, with a half-hour change and an offset of 5:45", () => {
    expect(window("America/Santiago", "2026-09-06")).toMatchObject({ start: "2026-09-06T04:00:00.000Z", hours: 23 });
    expect(window("Australia/Lord_Howe", "2026-04-05").hours).toBe(24.5);
    expect(window("Asia/Kathmandu", "2026-05-12").start).toBe("2026-05-11T18:15:00.000Z");
  });

  it("case 10: days with a clock change and their neighbours neither overlap nor leave a gap", () => {
    for (const [zone, before, day, after] of [
      ["America/Santiago", "2026-09-05", "2026-09-06", "2026-09-07"],
      ["Australia/Lord_Howe", "2026-04-04", "2026-04-05", "2026-04-06"],
      ["America/New_York", "2026-10-31", "2026-11-01", "2026-11-02"],
    ] as const) {
      expect(window(zone, before).end).toBe(window(zone, day).start);
      expect(window(zone, day).end).toBe(window(zone, after).start);
      const { start, end } = new Zone(zone).dayWindow(day);
      expect([start, end - 1].map((time) => new Zone(zone).day(time))).toEqual([day, day]);
    }
  });

  it("case 11: a trigger at the start of the window is inside, one at its end belongs to the next day", async () => {
    const lines = [
      M("s"),
      at("2026-05-11T16:00:00.000Z", R("at the start")),
      at("2026-05-12T15:59:59.999Z", R("at the last moment")),
      at("2026-05-12T16:00:00.000Z", R("at the end")),
    ];
    const book = open({ codex: { "rollout-s.jsonl": lines } }, { timezone: "Asia/Shanghai" });
    const on = async (day: string): Promise<string[]> =>
      (await book.turns({ since: day, until: day })).map((turn) => turn.trigger.text ?? "");
    expect(await on("2026-05-11")).toEqual([]);
    expect(await on("2026-05-12")).toEqual(["at the start", "at the last moment"]);
    expect(await on("2026-05-13")).toEqual(["at the end"]);
    const day = new Zone("Asia/Shanghai").dayWindow("2026-05-12");
    expect(parseRange({ since: "2026-05-12", until: "2026-05-12" }, new Zone("Asia/Shanghai"), 0)).toEqual(day);
  });
});
