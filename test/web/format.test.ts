import { afterEach, describe, expect, it } from "vitest";
import { clock, count, dayOf, longDay, setZone, shortDay } from "../../web/src/lib/format.ts";

afterEach(() => setZone("UTC"));

describe("times in the server's zone", () => {
  const TIMES = ["2026-03-08T06:59:59Z", "2026-03-08T07:00:00Z", "2026-11-01T05:59:00.123Z", "2026-11-01T06:00:00Z"];

  it.each(["UTC", "America/New_York", "Asia/Kathmandu", "Pacific/Chatham", "Australia/Lord_Howe"])(
    "are the same as those of Intl in %s",
    (timeZone) => {
      setZone(timeZone);
      const day = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
      const time = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" });
      for (const one of TIMES) {
        expect(dayOf(one)).toBe(day.format(new Date(one)));
        expect(clock(one)).toBe(time.format(new Date(one)));
      }
    },
  );

  it("are empty for null and invalid times", () => {
    setZone("Asia/Kathmandu");
    expect([clock(null), clock("never"), dayOf("never")]).toEqual(["", "", ""]);
  });
});

it("days are shown with the names of weekday and month", () => {
  expect(longDay("2026-05-12")).toBe("Tuesday 12 May");
  expect(longDay("2026-05-12", true)).toBe("Tuesday 12 May 2026");
  expect(shortDay("2026-09-08")).toBe("Tue 8 Sep");
});

it("long numbers are grouped", () => {
  expect([0, 999, 1000, 1234567].map(count)).toEqual(["0", "999", "1,000", "1,234,567"]);
});
