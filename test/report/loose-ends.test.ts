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
  said: string[];
}

async function looseEndsByDay(withBook: boolean): Promise<Day[]> {
  const daybook = month(withBook);
  const days: Day[] = [];
  for (const day of DAYS) {
    const report = await daybook.report({ date: day });
    const names = (ends: typeof report.loose_ends): string[] =>
      (ends ?? []).map((end) => `${end.session_id}/${end.turn_ref}`);
    const { loose_ends, carried_over, said_open } = report;
    days.push({ day, own: names(loose_ends), carried: names(carried_over), said: names(said_open) });
  }
  daybook.close();
  return days;
}

describe("loose ends of the month", () => {
  it("are true where records show them, and with what was said find most of what is open", async () => {
    const days = await looseEndsByDay(false);
    const truth = (day: string): string[] => TRUTH.days[day]?.loose_ends.map(({ turn }) => turn) ?? [];
    const share = (list: readonly boolean[]): number => list.filter(Boolean).length / list.length;
    const shown = days.flatMap(({ day, own }) => own.map((end) => truth(day).includes(end)));
    const found = (isOwn: boolean): boolean[] =>
      days.flatMap(({ day, own, carried, said }) =>
        truth(day).flatMap((turn) =>
          (dayOf.get(turn) === day) === isOwn ? [[...own, ...carried, ...said].includes(turn)] : [],
        ),
      );
    const all = days.flatMap(({ day, own, carried, said }) =>
      [...own, ...carried, ...said].map((end) => truth(day).includes(end)),
    );
    expect(shown.length).toBeGreaterThan(14);
    expect(share(shown)).toBeGreaterThanOrEqual(0.9);
    expect(share(found(true))).toBeGreaterThanOrEqual(0.8);
    expect(share(found(false))).toBeGreaterThanOrEqual(0.8);
    expect(share(all)).toBeGreaterThanOrEqual(0.6);
  });

  it("name what shows them and what would close them; what is only said is quoted and stands apart", async () => {
    const daybook = month();
    for (const date of DAYS) {
      const { loose_ends, carried_over, said_open } = await daybook.report({ date });
      const shown = [...(loose_ends ?? []), ...(carried_over ?? [])];
      for (const end of shown) {
        expect(end.kind).not.toBe("said");
        expect(end.evidence?.length).toBeGreaterThan(0);
        expect(end.evidence).toContain(end.citation);
        expect(end.closes_by).toBeTruthy();
      }
      for (const end of said_open ?? []) {
        expect(end).toMatchObject({ kind: "said", evidence: null, closes_by: null });
        expect(end.quote).toBe(end.text);
        const [turn] = TRUTH.sessions
          .filter(({ session }) => session === end.session_id)
          .flatMap(({ turns }) => turns.filter((one) => one.turn === end.turn_ref));
        // Word for word: only the marks of Markdown are gone.
        expect(turn?.final?.replace(/\*\*/g, "")).toContain(end.quote);
      }
      const threads = [...shown, ...(said_open ?? [])].map((end) => `${end.project} ${end.thread}`);
      expect(new Set(threads).size).toBe(threads.length);
    }
    daybook.close();
  });

  it("are the same from the book", async () => {
    expect(await looseEndsByDay(true)).toEqual(await looseEndsByDay(false));
  });

  it("from earlier days have their own section and show their day, in every format", async () => {
    const daybook = month();
    const report = await daybook.report({ date: "2026-09-18" });
    const end = report.carried_over?.find(({ day }) => day === "2026-09-14");
    expect(end).toMatchObject({
      project: "platform-infra",
      kind: "call_failed",
      text: expect.stringContaining("gitleaks"),
    });
    expect(end?.quote).toBe("It needs rotating too.");
    for (const name of ["full.txt", "full-narrow.txt", "report.md", "report.html"]) {
      const text = FORMATS[name]?.(report) ?? "";
      const section = text.slice(text.indexOf("Still open from earlier days"));
      expect(text.indexOf("Still open from earlier days"), name).toBeGreaterThan(0);
      expect(section, name).toMatch(/rotating\s+too/);
      expect(section, name).toContain("14 Sep");
    }
    // The summary has one line for each of the newest; a stand-up appends the day.
    expect(FORMATS["terminal.txt"]?.(report)).toMatch(/^ {2}! 16 Sep \S+ {2}/m);
    expect(FORMATS["standup.txt"]?.(report)).toMatch(/rotating too\.” \(14 Sep\)$/m);
    const { session, turn } = await daybook.find(end?.citation ?? "");
    expect([session.session_id, turn?.ref]).toEqual([end?.session_id, end?.turn_ref]);
  });

  it("that wait for a person's own act are told for two days more, a request to merge until it is merged", async () => {
    const daybook = month();
    const isTold = async (kind: string, date: string): Promise<boolean> => {
      const { loose_ends, carried_over } = await daybook.report({ date });
      return [...(loose_ends ?? []), ...(carried_over ?? [])].some((end) => end.kind === kind);
    };
    // The request was opened on the 15th; a command was refused on the 11th.
    for (const [kind, date, expected] of [
      ["open_pr", "2026-09-15", true],
      ["open_pr", "2026-09-17", true],
      ["open_pr", "2026-09-18", true],
      ["denied", "2026-09-11", true],
      ["denied", "2026-09-13", true],
      ["denied", "2026-09-14", false],
    ] as const)
      expect([kind, date, await isTold(kind, date)]).toEqual([kind, date, expected]);
    daybook.close();
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

describe("a loose end that a person closed", () => {
  it("is gone from every report that would show it, and comes back when it is opened again", async () => {
    const daybook = month(true);
    const date = DAYS.at(-1);
    const openIn = async (): Promise<string[]> => {
      const { loose_ends, carried_over } = await daybook.report({ date });
      return [...(loose_ends ?? []), ...(carried_over ?? [])].map((end) => `${end.session_id}/${end.turn_ref}`);
    };
    const before = await openIn();
    const [first = ""] = before;
    expect(before.length).toBeGreaterThan(2);
    await daybook.mark(first, { closed: true });
    expect(await openIn()).toEqual(before.slice(1));
    await daybook.mark(first, { closed: false });
    expect(await openIn()).toEqual(before);
    daybook.close();
  });

  it("is named by its turn: a session leaves nothing open itself", async () => {
    const daybook = month(true);
    const [session] = await daybook.sessions({ limit: 1 });
    await expect(daybook.mark(session?.session_id ?? "", { closed: true })).rejects.toThrow("not a session");
    daybook.close();
  });
});
