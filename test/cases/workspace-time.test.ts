import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Zone } from "../../src/base/time/zone.ts";
import {
  metadataOf,
  resolveTarget,
  resolveZone,
  systemZone,
  type TargetRequest,
} from "../../src/answers/workspace/window.ts";
import { A, at, codex, E, folder, M, only, open, R, TC, TD, TS, type Line, type Lines } from "./build.ts";
import { all, prepared, run, spansIn } from "./workspace.ts";

const SHANGHAI = new Zone("Asia/Shanghai");
const MORNING = Date.parse("2026-05-20T10:30:00+08:00");

function windowOf(request: TargetRequest, zone: Zone, now: number): Record<string, unknown> {
  const { report_date, status, report_window_utc } = metadataOf(resolveTarget(request, zone, now), zone, now);
  return { report_date, status, ...report_window_utc };
}

function zoneNameFor(env: Record<string, string>, system: string | null, flag?: string): string {
  return resolveZone(flag, env, () => system).name;
}

function clock(time: string, ...lines: Lines): Lines {
  return lines.map((line) => at(`2026-05-12T${time}Z`, line as Line));
}

/** Section A for the workspace: day, zone, window. */
describe("A. the workspace's day", () => {
  it("case 1: is by default yesterday in the zone, with status final", () => {
    expect(windowOf({}, SHANGHAI, MORNING)).toEqual({
      report_date: "2026-05-19",
      status: "final",
      start: "2026-05-18T16:00:00Z",
      end: "2026-05-19T16:00:00Z",
    });
    expect(metadataOf(resolveTarget({}, SHANGHAI, MORNING), SHANGHAI, MORNING)).toMatchObject({
      schema_version: 3,
      timezone: "Asia/Shanghai",
      prepared_at: "2026-05-20T10:30:00+08:00",
      report_window_local: { start: "2026-05-19T00:00:00+08:00", end: "2026-05-20T00:00:00+08:00" },
    });
  });

  it.each(["2026-05-20T01:00:00+08:00", "2026-05-19T17:00:00Z"])(
    "cases 2 and 3: is the 20th in Shanghai with --today at %s, with status partial",
    (now) => {
      const window = windowOf({ today: true }, SHANGHAI, Date.parse(now));
      expect(window).toMatchObject({ report_date: "2026-05-20", status: "partial" });
    },
  );

  it("case 5: cannot be tomorrow, in another date format, in an unknown zone, or given twice", async () => {
    expect(() => resolveTarget({ date: "2026-05-21" }, SHANGHAI, MORNING)).toThrow("2026-05-21 has not begun");
    expect(() => resolveTarget({ date: "05/19/2026" }, SHANGHAI, MORNING)).toThrow("not a date");
    expect(() => resolveTarget({ date: "2026-05-19", today: true }, SHANGHAI, MORNING)).toThrow("exclude each other");
    for (const flags of [
      ["--date", "2026-05-14"],
      ["--date", "05/12/2026"],
      ["--timezone", "Not/AZone"],
    ]) {
      const home = join(folder(), "home");
      const ran = await run(["prepare", "--timezone", "UTC", ...flags], { HOME: folder(), DAYBOOK_HOME: home });
      expect(ran).toMatchObject({ code: 2, out: "" });
    }
  });

  it("case 6: uses the zone of flag, DAYBOOK_TIMEZONE, TZ, system or UTC; blank and POSIX values are skipped", () => {
    expect(zoneNameFor({ DAYBOOK_TIMEZONE: " ", TZ: "Asia/Shanghai" }, "Europe/Berlin")).toBe("Asia/Shanghai");
    expect(zoneNameFor({ DAYBOOK_TIMEZONE: ":posix/UTC", TZ: "" }, "Asia/Shanghai")).toBe("Asia/Shanghai");
    expect(zoneNameFor({}, null)).toBe("UTC");
    expect(zoneNameFor({ DAYBOOK_TIMEZONE: "Asia/Tokyo", TZ: "Asia/Shanghai" }, null)).toBe("Asia/Tokyo");
    expect(zoneNameFor({ TZ: "Asia/Shanghai" }, null, "Europe/Berlin")).toBe("Europe/Berlin");
    expect(() => zoneNameFor({ TZ: "Not/AZone" }, "UTC")).toThrow("unknown time zone");
  });

  it("case 7: uses the system's zone from timezone or localtime only if its name is known", () => {
    const etc = folder();
    writeFileSync(join(etc, "timezone"), "Not/AZone\n");
    symlinkSync(join(etc, "elsewhere/Berlin"), join(etc, "localtime"));
    expect(systemZone(etc, "linux")).toBe(null);
    expect(resolveZone(undefined, {}, () => systemZone(etc, "linux")).name).toBe("UTC");
    const linked = folder();
    mkdirSync(join(linked, "usr"));
    symlinkSync("/usr/share/zoneinfo/Europe/Berlin", join(linked, "localtime"));
    expect(systemZone(linked, "linux")).toBe("Europe/Berlin");
    writeFileSync(join(linked, "timezone"), "Asia/Kathmandu\n");
    expect(systemZone(linked, "linux")).toBe("Asia/Kathmandu");
  });

  it.each([
    ["America/New_York", "2026-03-08", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z", "-05:00", "-04:00"],
    ["America/New_York", "2026-11-01", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z", "-04:00", "-05:00"],
    ["America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z", "-03:00", "-03:00"],
    ["Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z", "+11:00", "+10:30"],
    ["Asia/Kathmandu", "2026-05-12", "2026-05-11T18:15:00Z", "2026-05-12T18:15:00Z", "+05:45", "+05:45"],
  ])(
    "cases 8 and 10: has the right window when the clock changes: %s %s",
    (name, date, start, end, startOffset, endOffset) => {
      const zone = new Zone(name);
      const now = Date.parse("2026-12-01T00:00:00Z");
      const metadata = metadataOf(resolveTarget({ date }, zone, now), zone, now);
      expect(metadata.report_window_utc).toEqual({ start, end });
      expect(metadata.report_window_local.start.endsWith(startOffset)).toBe(true);
      expect(metadata.report_window_local.end.endsWith(endOffset)).toBe(true);
      expect(Date.parse(metadata.report_window_local.start)).toBe(Date.parse(start));
    },
  );

  it("case 11: includes a trigger at the start of the window, but not one at its end", async () => {
    const lines = [
      M("s"),
      at("2026-05-11T16:00:00.000Z", R("at the start")),
      at("2026-05-12T15:59:59.999Z", R("at the last moment")),
      at("2026-05-12T16:00:00.000Z", R("at the end")),
    ];
    const book = open({ codex: { "rollout-s.jsonl": lines } }, { timezone: "Asia/Shanghai" });
    const on = async (date: string): Promise<unknown> => spansIn(all(await prepared(book, { date }))[0]);
    expect(await on("2026-05-11")).toEqual([]);
    expect(await on("2026-05-12")).toEqual([
      [2, 2],
      [3, 3],
    ]);
    expect(await on("2026-05-13")).toEqual([[4, 4]]);
  });

  it("cases 57, 58 and 60: includes a turn to its end by its trigger, and turn refs restart each day", async () => {
    const lines = [
      ...clock("23:50:00", M("s"), TS("t1"), TC()),
      ...clock("23:59:30", R("late"), E("late"), A("on it")),
      ...clock("23:59:59", A("1"), A("2"), A("3"), A("4"), A("5"), A("6")),
      at("2026-05-13T00:00:12Z", TD("t1")),
      at("2026-05-13T00:02:00Z", TS("t2")),
      at("2026-05-13T00:02:00Z", TC()),
      ...[R("next day"), E("next day"), A("yes")].map((line) => at("2026-05-13T00:02:10Z", line)),
    ];
    const rowOn = async (date: string): Promise<unknown> => {
      const row = only(all(await prepared(codex(...lines), { date })));
      return [row.turns.map((turn) => turn.turn_ref), spansIn(row), row.target_start_line, row.target_end_line];
    };
    expect(await rowOn("2026-05-12")).toEqual([["T0001"], [[4, 13]], 4, 13]);
    expect(await rowOn("2026-05-13")).toEqual([["T0001"], [[16, 18]], 16, 18]);
  });

  it("case 12: is partial while it is today, and a partial workspace is not reused later", async () => {
    const book = codex(M("s"), R("a"));
    const home = join(folder(), "home");
    const noon = Date.parse("2026-05-12T12:00:00Z");
    const first = await prepared(book, { home, date: "2026-05-12", now: noon });
    expect(first.metadata.status).toBe("partial");
    const next = prepared(book, { home, date: "2026-05-12" });
    await expect(next).rejects.toThrow("status: expected final, found partial");
    expect((await prepared(book, { home, force: true })).metadata.status).toBe("final");
  });
});
