import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Daybook } from "../../src/answers/daybook.ts";
import { addDays, Zone } from "../../src/base/time/zone.ts";
import { at, E, M, open, R, TD, TS, U, type Line } from "../cases/build.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Asia/Kathmandu",
  "Pacific/Apia",
  "Asia/Shanghai",
];
/** Days on which some of these zones change their clocks, and an ordinary day. */
const DAYS = ["2026-03-08", "2026-03-29", "2026-04-05", "2026-05-12", "2026-09-06", "2026-10-25", "2026-11-01"];
const MINUTE = 60_000;

interface Request {
  session: number;
  /** Minutes from the day's midnight in UTC: far enough to cross two midnights of any zone. */
  minute: number;
  /** Minutes until the answer is complete; often past midnight. */
  lasts: number;
  tokens: number;
}

const requests = fc.record({
  session: fc.integer({ min: 0, max: 2 }),
  minute: fc.integer({ min: -900, max: 2300 }),
  lasts: fc.integer({ min: 0, max: 600 }),
  tokens: fc.integer({ min: 1, max: 500 }),
});

/** Writes one file per session. The running token total only grows, as in real files. */
function book(day: string, list: readonly Request[], timezone: string): { daybook: Daybook; triggers: number[] } {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const triggers: number[] = [];
  const files: Record<string, Line[]> = {};
  for (const session of new Set(list.map((one) => one.session))) {
    const lines: Line[] = [at(null, M(`s${session}`, { cwd: `/nowhere/app${session % 2}` }))];
    let total = 0;
    let clock = -Infinity;
    for (const one of list.filter((other) => other.session === session).toSorted((a, b) => a.minute - b.minute)) {
      clock = Math.max(clock + 1, one.minute);
      const start = midnight + clock * MINUTE;
      clock += one.lasts;
      total += one.tokens;
      const [asks, ends] = [new Date(start).toISOString(), new Date(midnight + clock * MINUTE).toISOString()];
      const text = `ask ${triggers.length}`;
      triggers.push(start);
      const turn = `t${triggers.length}`;
      lines.push(
        at(asks, TS(turn)),
        at(asks, R(text)),
        at(asks, E(text)),
        at(ends, U(total, one.tokens)),
        at(ends, TD(turn)),
      );
    }
    files[`rollout-s${session}.jsonl`] = lines;
  }
  return { daybook: open({ codex: files }, { timezone }), triggers };
}

describe("day reports", () => {
  it("contain every turn and every token exactly once, across midnights in any time zone", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ZONES),
        fc.constantFrom(...DAYS),
        fc.array(requests, { minLength: 1, maxLength: 12 }),
        async (name, day, list) => {
          const zone = new Zone(name);
          const { daybook, triggers } = book(day, list, name);
          const seen: string[] = [];
          let tokens = 0;
          const last = addDays(day, 4);
          for (let date = addDays(day, -3); date <= last; date = addDays(date, 1)) {
            // Queried as a range, because a range may lie after the fixed current time and a single date may not.
            const report = await daybook.report({ since: date, until: date });
            expect(report.balance.problems).toEqual([]);
            const turns = report.projects.flatMap((project) => project.turns);
            for (const turn of turns) {
              expect(turn.local_time.slice(0, 10)).toBe(date);
              expect(zone.day(Date.parse(turn.time))).toBe(date);
            }
            seen.push(...turns.map((turn) => turn.trigger.text ?? ""));
            const usage = await daybook.usage({
              since: date,
              until: date,
              group: "daily",
              by: "trigger",
              breakdown: false,
              order: "asc",
            });
            expect(report.totals.usage).toEqual(usage.totals);
            const sum = report.projects.reduce((n, project) => n + project.totals.usage.output_tokens, 0);
            expect(sum).toBe(usage.totals.output_tokens);
            tokens += sum;
          }
          expect(seen.toSorted()).toEqual(triggers.map((_, i) => `ask ${i}`).toSorted());
          expect(tokens).toBe(list.reduce((n, one) => n + one.tokens, 0));
        },
      ),
      { numRuns: 40 },
    );
  });
});
