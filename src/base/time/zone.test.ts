import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DaybookError } from "../errors.ts";
import { addDays, iso, QUARTER, weekOf, Zone } from "./zone.ts";

const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(text);

/** Daylight saving time, changes at midnight, offsets of half and quarter hours, a skipped day. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Sao_Paulo",
  "America/Havana",
  "Asia/Kathmandu",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Pacific/Kiritimati",
  "America/St_Johns",
];

/** 1990 to 2037. */
const instants = fc.integer({ min: 631_152_000_000, max: 2_145_916_800_000 });

describe("a zone", () => {
  it("shows the same local time as Intl.DateTimeFormat", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), instants, (name, time) => {
        const zone = new Zone(name);
        const expected = new Intl.DateTimeFormat("sv-SE", {
          timeZone: name,
          dateStyle: "short",
          timeStyle: "medium",
        }).format(time);
        expect(zone.clock(time)).toBe(expected);
        expect(zone.day(time)).toBe(expected.slice(0, 10));
        expect(zone.clock(time)).toBe(new Date(time + zone.offset(time)).toISOString().slice(0, 19).replace("T", " "));
      }),
      { numRuns: 400 },
    );
  });

  it("has day windows that contain every instant of their day and no other", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), instants, (name, time) => {
        const zone = new Zone(name);
        const day = zone.day(time);
        const { start, end } = zone.dayWindow(day);
        expect(start).toBeLessThanOrEqual(time);
        expect(end).toBeGreaterThan(time);
        expect(zone.day(start)).toBe(day);
        expect(zone.day(start - 1) < day).toBe(true);
        expect(zone.day(end) > day).toBe(true);
        expect(end).toBe(zone.startOfDay(addDays(day, 1)));
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    ["Europe/Berlin", "2026-03-29", 23],
    ["Europe/Berlin", "2026-10-25", 25],
    ["Europe/Berlin", "2026-07-01", 24],
    ["Australia/Lord_Howe", "2026-10-04", 23.5],
    ["Australia/Lord_Howe", "2026-04-05", 24.5],
    ["America/Sao_Paulo", "2018-11-04", 23],
    ["America/Havana", "2025-11-02", 25],
    ["Pacific/Apia", "2011-12-30", 0],
    ["Pacific/Apia", "2011-12-29", 24],
    ["Pacific/Apia", "2011-12-31", 24],
  ])("has days of the right length: in %s, %s has %s hours", (name, day, hours) => {
    const { start, end } = new Zone(name).dayWindow(day);
    expect((end - start) / HOUR).toBe(hours);
  });

  it("starts a day without midnight at its first instant, and a day with two midnights at the first", () => {
    // In Sao Paulo the clock went from 23:59:59 to 01:00.
    expect(new Zone("America/Sao_Paulo").startOfDay("2018-11-04")).toBe(at("2018-11-04T03:00:00Z"));
    // In Havana it went from 00:59:59 back to 00:00.
    expect(new Zone("America/Havana").startOfDay("2025-11-02")).toBe(at("2025-11-02T04:00:00Z"));
  });

  it("has one offset for a whole UTC day, or null if it changes within the day", () => {
    const berlin = new Zone("Europe/Berlin");
    const day = (text: string): number => at(`${text}T00:00:00Z`) / 86_400_000;
    expect(berlin.steadyOffset(day("2026-03-28"))).toBe(HOUR);
    expect(berlin.steadyOffset(day("2026-03-29"))).toBeNull();
    expect(berlin.steadyOffset(day("2026-03-29"))).toBeNull();
    expect(berlin.steadyOffset(day("2026-03-30"))).toBe(2 * HOUR);
    expect(new Zone("UTC").steadyOffset(day("2026-03-29"))).toBe(0);
    expect(new Zone("Asia/Kathmandu").steadyOffset(0)).toBe(5.5 * HOUR);
  });

  it("changes its offset at the exact quarter of an hour", () => {
    const change = at("2026-03-29T01:00:00Z");
    const berlin = new Zone("Europe/Berlin");
    for (const [time, offset] of [
      [change - 1, 1],
      [change, 2],
      [change + QUARTER, 2],
      [change - QUARTER, 1],
    ] as const)
      expect(berlin.offset(time)).toBe(offset * HOUR);
  });

  it("gives the same results whatever it has cached", () => {
    const manyInstants = fc.array(instants, { minLength: 20, maxLength: 60 });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), manyInstants, (name, times) => {
        const zone = new Zone(name);
        for (const time of times) expect(zone.offset(time)).toBe(new Zone(name).offset(time));
        for (const time of times) expect(zone.day(time)).toBe(new Zone(name).day(time));
      }),
      { numRuns: 20 },
    );
  });

  it("rejects an unknown name", () => {
    const create = (): Zone => new Zone("Europe/Atlantis");
    expect(create).toThrow(DaybookError);
    expect(create).toThrow(
      expect.objectContaining({
        message: "unknown time zone: Europe/Atlantis",
        code: "usage",
        hint: "give an IANA name such as Europe/Berlin or UTC",
      }),
    );
  });
});

describe("the system's time zone", () => {
  const before = process.env["TZ"];
  afterEach(() => {
    vi.restoreAllMocks();
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  });

  function mockRuntimeZone(timeZone: string): void {
    const known = Intl.DateTimeFormat().resolvedOptions();
    vi.spyOn(Intl.DateTimeFormat.prototype, "resolvedOptions").mockReturnValue({ ...known, timeZone });
  }

  it.each([
    ["UTC", "UTC"],
    ["Etc/UTC", "UTC"],
    ["/usr/share/zoneinfo/Etc/UTC", "UTC"],
    ["Europe/Berlin", "Europe/Berlin"],
    ["/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"],
    // A POSIX rule instead of a zone name: the code falls back to `Intl`.
    ["EST5EDT4", "America/Lima"],
    ["", "America/Lima"],
  ])("with TZ=%s is named %s", (variable, name) => {
    mockRuntimeZone("America/Lima");
    process.env["TZ"] = variable;
    const zone = Zone.here();
    expect(zone.name).toBe(name);
    expect(zone.name).toBe(name);
  });

  it("is UTC if neither TZ nor the runtime names a known zone", () => {
    mockRuntimeZone("Etc/Unknown");
    process.env["TZ"] = "nowhere";
    expect(Zone.here().name).toBe("UTC");
  });

  it("is the runtime's zone or UTC if TZ is not set", () => {
    delete process.env["TZ"];
    const runtimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect([runtimeZone, "UTC"]).toContain(Zone.here().name);
  });

  it("has the offset of Date.getTimezoneOffset", () => {
    vi.spyOn(Date.prototype, "getTimezoneOffset").mockReturnValue(210);
    expect(Zone.here().offset(0)).toBe(-3.5 * HOUR);
    expect(Zone.here().clock(at("2026-11-15T02:00:00Z"))).toBe("2026-11-14 22:30:00");
    expect(new Zone("Asia/Tokyo").offset(0)).toBe(9 * HOUR);
  });
});

describe("day arithmetic", () => {
  it("crosses months, years and leap days", () => {
    expect(addDays("2024-02-28", 1)).toBe("2024-02-29");
    expect(addDays("2023-02-28", 1)).toBe("2023-03-01");
    expect(addDays("2026-01-01", -1)).toBe("2025-12-31");
    expect(addDays("2026-05-05", 0)).toBe("2026-05-05");
    expect(addDays("2026-05-05", 30)).toBe("2026-06-04");
  });

  it.each([
    ["2026-11-09", "2026-11-09"],
    ["2026-11-10", "2026-11-09"],
    ["2026-11-14", "2026-11-09"],
    ["2026-11-15", "2026-11-09"],
    ["2026-11-16", "2026-11-16"],
    ["2026-01-01", "2025-12-29"],
  ])("puts %s in the week of Monday %s", (day, monday) => {
    expect(weekOf(day)).toBe(monday);
  });
});

describe("a time in ISO format", () => {
  it("has milliseconds", () => {
    expect(iso(0)).toBe("1970-01-01T00:00:00.000Z");
    expect(iso(at("2026-11-15T07:08:22.041Z"))).toBe("2026-11-15T07:08:22.041Z");
  });

  it("is null if the time is missing or out of range", () => {
    expect(iso(null)).toBeNull();
    expect(iso(Number.NaN)).toBeNull();
    expect(iso(Infinity)).toBeNull();
    expect(iso(8.64e15 + 1)).toBeNull();
    expect(iso(-8.64e15 - 1)).toBeNull();
    expect(iso(8.64e15)).toBe("+275760-09-13T00:00:00.000Z");
    expect(iso(-8.64e15)).toBe("-271821-04-20T00:00:00.000Z");
  });
});
