import { describe, expect, it } from "vitest";
import { Zone } from "../../base/time/zone.ts";
import { resolveSpan, type SpanInput } from "./window.ts";

const NOW = Date.parse("2026-05-20T10:30:00+08:00");
const shanghai = new Zone("Asia/Shanghai");
const work = { first: Date.parse("2026-05-01T00:00:00Z"), newest: Date.parse("2026-05-18T17:00:00Z") };

function span(input: SpanInput, zone = shanghai, now = NOW): ReturnType<typeof resolveSpan> {
  return resolveSpan(input, zone, now, work);
}

describe("the span of a report", () => {
  it("is by default the newest day with work in the zone, or today if there is no work", () => {
    expect(span({})).toEqual({
      kind: "day",
      since: "2026-05-19",
      until: "2026-05-19",
      timezone: "Asia/Shanghai",
      start: "2026-05-18T16:00:00.000Z",
      end: "2026-05-19T16:00:00.000Z",
      hours: 24,
      status: "final",
    });
    expect(resolveSpan({}, shanghai, NOW, { first: null, newest: null })).toMatchObject({
      since: "2026-05-20",
      status: "partial",
    });
  });

  it("is partial while the day is not over in the zone", () => {
    expect(span({ date: "today" })).toMatchObject({ since: "2026-05-20", status: "partial" });
    expect(span({ date: "2026-05-19" })).toMatchObject({ status: "final" });
    const early = Date.parse("2026-05-19T17:00:00Z");
    expect(span({ date: "today" }, shanghai, early)).toMatchObject({ since: "2026-05-20", status: "partial" });
  });

  it("rejects days in the future, other date formats, and contradicting flags", () => {
    expect(() => span({ date: "2026-05-21" })).toThrow("in the future");
    expect(() => span({ date: "05/19/2026" })).toThrow("not a date");
    expect(() => span({ date: "today", since: "7d" })).toThrow("cannot be used together");
    expect(() => span({ week: true, until: "today" })).toThrow("cannot be used together");
    expect(() => span({ since: "2026-05-10", until: "2026-05-01" })).toThrow("is after");
  });

  it("starts weeks on Monday and includes both ends of a range", () => {
    expect(span({ week: true })).toMatchObject({
      kind: "week",
      since: "2026-05-18",
      until: "2026-05-24",
      status: "partial",
    });
    expect(span({ week: true, date: "2026-05-17" })).toMatchObject({
      since: "2026-05-11",
      until: "2026-05-17",
      status: "final",
    });
    expect(span({ since: "2026-05-10", until: "2026-05-12" })).toMatchObject({ kind: "range", hours: 72 });
    expect(span({ until: "2026-05-12" })).toMatchObject({ since: "2026-05-01" });
    expect(span({ week: true, date: "last week" })).toMatchObject({ since: "2026-05-11", until: "2026-05-17" });
    expect(span({ since: "april", until: "april" })).toMatchObject({ since: "2026-04-01", until: "2026-04-30" });
    expect(() => span({ date: "april" })).toThrow("more than one day");
    expect(span({ since: "7d" })).toMatchObject({ since: "2026-05-14", until: "2026-05-20", status: "partial" });
  });

  it.each([
    ["America/New_York", "2026-03-08", 23],
    ["America/New_York", "2026-11-01", 25],
    ["Australia/Lord_Howe", "2026-04-05", 24.5],
    ["America/Santiago", "2026-09-06", 23],
  ])("has the right number of hours when the clock changes: %s %s has %d", (zone, date, hours) => {
    expect(span({ date }, new Zone(zone), Date.parse("2027-01-01T00:00:00Z")).hours).toBe(hours);
  });
});
