import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { openDatabase } from "../../base/io/sqlite.ts";
import { Zone } from "../../base/time/zone.ts";
import { localDay } from "./local-day.ts";
import { QUARTER } from "../../base/time/zone.ts";

const ZONES = ["UTC", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia"];
const DAY = 86_400_000;

describe("localDay as an SQL expression", () => {
  it("returns the same calendar day as Zone.day for every quarter hour", () => {
    const db = openDatabase(":memory:");
    db.exec("CREATE TABLE t (quarter INTEGER)");
    // From 1965 to 2060; in clusters, so that days on which the UTC offset changes are covered completely.
    const cluster = fc.tuple(fc.integer({ min: -1826, max: 32_850 }), fc.uniqueArray(fc.integer({ min: 0, max: 400 })));
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), fc.array(cluster, { minLength: 1, maxLength: 8 }), (name, clusters) => {
        const zone = new Zone(name);
        const quarters = [...new Set(clusters.flatMap(([day, within]) => within.map((n) => day * 96 + n)))];
        const days = [...new Set(quarters.map((quarter) => Math.floor(quarter / 96)))].toSorted((a, b) => a - b);
        db.exec("DELETE FROM t");
        const insert = db.prepare("INSERT INTO t VALUES (?)");
        for (const quarter of quarters) insert.run(quarter);
        const rows = db.prepare(`SELECT quarter, ${localDay(zone, days)} AS day FROM t`).all();
        const dayNumbers = new Map(rows.map((row) => [Number(row["quarter"]), Number(row["day"])]));
        // The SQL adds this to keep day numbers before 1970 positive.
        const shift = 200_000_000;
        for (const quarter of quarters) {
          const day = new Date(((dayNumbers.get(quarter) ?? 0) - shift) * DAY).toISOString().slice(0, 10);
          expect(day).toBe(zone.day(quarter * QUARTER));
        }
      }),
      { numRuns: 60 },
    );
    db.close();
  });
});
