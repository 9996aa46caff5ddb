import { describe, expect, it } from "vitest";
import { FORMATS } from "./formats.ts";
import { DAYS, month, TRUTH } from "./month.ts";

const dayOf = new Map(
  TRUTH.sessions.flatMap(({ session, turns }) => turns.map(({ turn, day }) => [`${session}/${turn}`, day])),
);

interface Day {
  day: string;
  own: string[];
  carried: string[];
}

async function looseEndsByDay(withBook: boolean): Promise<Day[]> {
  const daybook = month(withBook);
  const days: Day[] = [];
  for (const day of DAYS) {
    const report = await daybook.report({ date: day });
    const names = (ends: typeof report.loose_ends): string[] =>
      (ends ?? []).map((end) => `${end.session_id}/${end.turn_ref}`);
    days.push({ day, own: names(report.loose_ends), carried: names(report.carried_over) });
  }
  daybook.close();
  return days;
}

describe("loose ends of the month", () => {
  it("match the truth to at least 90 %, and include all that are still open from earlier days", async () => {
    const days = await looseEndsByDay(false);
    const truth = (day: string): string[] => TRUTH.days[day]?.loose_ends.map(({ turn }) => turn) ?? [];
    const own = days.flatMap(({ day, own: ends }) => ends.map((end) => truth(day).includes(end)));
    const wanted = days.flatMap(({ day, own: ends }) =>
      truth(day).flatMap((turn) => (dayOf.get(turn) === day ? [ends.includes(turn)] : [])),
    );
    const carried = days.flatMap(({ day, carried: ends }) => ends.map((end) => truth(day).includes(end)));
    const open = days.flatMap(({ day, carried: ends }) =>
      truth(day).flatMap((turn) => (dayOf.get(turn) === day ? [] : [ends.includes(turn)])),
    );
    const share = (list: readonly boolean[]): number => list.filter(Boolean).length / list.length;
    expect(own.length).toBeGreaterThan(20);
    expect(share(own)).toBeGreaterThanOrEqual(0.95);
    expect(share(wanted)).toBeGreaterThanOrEqual(0.9);
    expect(open.length).toBe(8);
    expect(share(open)).toBe(1);
    // One was settled outside of the sessions; they mention it only a day later.
    expect(carried.filter((isTrue) => !isTrue).length).toBeLessThanOrEqual(1);
  });

  it("are the same from the book", async () => {
    expect(await looseEndsByDay(true)).toEqual(await looseEndsByDay(false));
  });

  it("from earlier days have their own section and show their day, in every format", async () => {
    const daybook = month();
    const report = await daybook.report({ date: "2026-09-18" });
    const [oldest] = report.carried_over ?? [];
    expect(oldest).toMatchObject({ day: "2026-09-14", project: "platform-infra", kind: "request" });
    expect(oldest?.text).toMatch(/holds a registry password\. It needs rotating too\.$/);
    for (const name of ["full.txt", "full-narrow.txt", "report.md", "report.html"]) {
      const text = FORMATS[name]?.(report) ?? "";
      const section = text.slice(text.indexOf("Still open from earlier days"));
      expect(text.indexOf("Still open from earlier days"), name).toBeGreaterThan(0);
      expect(section, name).toMatch(/rotating\s+too/);
      expect(section, name).toContain("14 Sep");
    }
    // The summary has one line for each of the newest; a stand-up appends the day.
    expect(FORMATS["terminal.txt"]?.(report)).toMatch(/^ {2}! 16 Sep \S+ {2}/m);
    expect(FORMATS["standup.txt"]?.(report)).toMatch(/rotating too\. \(14 Sep\)$/m);
    // Its citation is valid in the report of its own day.
    const resolved = await daybook.cited(`platform-infra/${oldest?.citation ?? ""}`, { date: oldest?.day });
    expect(resolved?.target).toBe(`${oldest?.source}/${oldest?.session_id}/${oldest?.turn_ref}`);
  });

  it("are also shown on a day without work", async () => {
    const report = await month().report({ date: "2026-09-19" });
    expect(report.totals.turns).toBe(0);
    expect(report.carried_over?.length).toBeGreaterThan(0);
    for (const name of ["full.txt", "report.md", "report.html", "standup.txt"])
      expect(FORMATS[name]?.(report), name).toMatch(/rotating\s+too/);
    expect(FORMATS["terminal.txt"]?.(report)).toMatch(/^ {2}! 1\d Sep \S+ {2}/m);
  });
});
