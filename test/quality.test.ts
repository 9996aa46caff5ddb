import { expect, it } from "vitest";
// @ts-expect-error a script of plain JavaScript; it asks the build in dist/
import * as decisions from "../scripts/quality/decisions.js";
// @ts-expect-error a script of plain JavaScript
import * as ends from "../scripts/quality/ends.js";
// @ts-expect-error a script of plain JavaScript
import * as match from "../scripts/quality/match.js";

interface Counted {
  capability: string;
  found: number;
  of: number;
  right: number | null;
  listed: number | null;
}

const { compare } = match as {
  compare: (
    listed: { turns: string[]; text: string }[],
    truth: { turn?: string; text: string }[],
  ) => Omit<Counted, "capability">;
};
const { measureDecisions, measureExchanges } = decisions as {
  measureDecisions: (dir: string) => Promise<Counted[]>;
  measureExchanges: () => Promise<(Counted & { half: string })[]>;
};

const { measureEnds } = ends as { measureEnds: (dir: string) => Promise<Counted[]> };

const MONTH = new URL("fixtures/month", import.meta.url).pathname;
/** No rule was written for its author, and none may be: what is found there is what strangers can expect. */
const FURTHER = new URL("fixtures/further/w2", import.meta.url).pathname;

it("matches by the turn, whatever the words, and by words only where the truth names no turn", () => {
  const listed = [
    { turns: ["s/T0001"], text: "keys in Postgres" },
    { turns: ["s/T0001", "s/T0002"], text: "something else" },
    { turns: ["s/T0009"], text: "the parser stays" },
  ];
  expect(compare(listed, [{ turn: "s/T0001", text: "no word in common" }])).toEqual({
    found: 1,
    of: 1,
    right: 2,
    listed: 3,
  });
  expect(compare(listed, [{ turn: "s/T0003", text: "keys in Postgres" }])).toEqual({
    found: 0,
    of: 1,
    right: 0,
    listed: 3,
  });
  expect(compare(listed, [{ text: "The parser stays as it is" }])).toEqual({ found: 1, of: 1, right: 1, listed: 3 });
});

it("finds decisions in prose in invented sessions, and takes nothing else for one", async () => {
  for (const { half, found, of, right, listed } of await measureExchanges()) {
    expect([half, right]).toEqual([half, listed]);
    expect(found / of, half).toBeGreaterThanOrEqual(0.75);
  }
});

it("finds three fifths of the decisions of a month, three quarters of those shown are true", async () => {
  const rows = new Map((await measureDecisions(MONTH)).map((row) => [row.capability, row]));
  const all = rows.get("decisions");
  expect((all?.found ?? 0) / (all?.of ?? 1)).toBeGreaterThanOrEqual(0.6);
  expect((all?.right ?? 0) / (all?.listed ?? 1)).toBeGreaterThanOrEqual(0.75);
});

/** At least so many of the true ones are found, and so many of those shown are true. */
const FLOORS: Readonly<Record<string, [found: number, right: number]>> = {
  decisions: [0.4, 0.65],
  "loose ends of the day, by evidence": [0.3, 0.48],
  "loose ends of the day, evidence and said": [0.6, 0.52],
};

it("finds as much in the fortnight of an author that no rule was written for", async () => {
  const rows = [...(await measureDecisions(FURTHER)), ...(await measureEnds(FURTHER))];
  for (const [capability, floors] of Object.entries(FLOORS)) {
    const row = rows.find((one) => one.capability === capability);
    const shares = [(row?.found ?? 0) / (row?.of ?? 1), (row?.right ?? 0) / (row?.listed ?? 1)];
    for (const [i, floor] of floors.entries()) expect(shares[i], capability).toBeGreaterThanOrEqual(floor);
  }
});
