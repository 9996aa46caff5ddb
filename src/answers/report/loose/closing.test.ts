import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stillOpen, type OpenEnd } from "./closing.ts";
import type { Glimpse } from "./glimpse.ts";

let clock = 0;

function turn(session: string, prompt: string, final = "Done.", more: Partial<Glimpse> = {}): Glimpse {
  clock += 60_000;
  return {
    source: "a",
    session_id: session,
    ref: `T${clock}`,
    time: clock,
    project: "p",
    project_key: "p-1",
    prompt,
    final,
    kind: "prompt",
    entry: "interactive",
    outcome: "completed",
    taken_back: false,
    changed: true,
    trouble: false,
    worded: true,
    ...more,
  };
}

function openEnd(from: Glimpse, about: string, unfinished = false): OpenEnd {
  return { turn: from, about, context: `${from.prompt}\n${from.final}`, unfinished, isCertain: true };
}

/** 1 if the open end of the first turn is still open after the later turns, else 0. */
function countOpen(about: string, first: Glimpse, ...later: Glimpse[]): number {
  const unfinished = first.outcome !== "completed";
  return stillOpen([openEnd(first, about, unfinished)], [first, ...later]).length;
}

describe("an open end is closed by", () => {
  it("a later turn of the same session", () => {
    expect(countOpen("Not pushed.", turn("s", "commit"), turn("s", "thanks"))).toBe(0);
    expect(countOpen("Not pushed.", turn("s", "thanks"), turn("t", "another thing entirely"))).toBe(1);
  });

  it("a later turn of the project about the same matter, even in other words", () => {
    const about = "The migrator needs the `-- no-transaction` marker, which this file does not have yet.";
    const first = turn("s", "add the index", about);
    expect(countOpen(about, first, turn("t", "add the no-transaction marker to 0043 like you said yesterday"))).toBe(0);
    expect(
      countOpen(
        "I could not test it behind the office proxy.",
        turn("s", "enable tls"),
        turn("t", "tested in the office, works"),
      ),
    ).toBe(0);
    expect(
      countOpen("I may not close issues.", turn("s", "close 41 and 44"), turn("t", "closed 41 and 44 myself")),
    ).toBe(0);
  });

  it("a later turn in any session that did the missing action", () => {
    expect(countOpen("Not pushed.", turn("s", "commit"), turn("t", "ship it", "Committed and pushed."))).toBe(0);
    expect(countOpen("Not pushed.", turn("s", "commit"), turn("t", "look", "Nothing to see."))).toBe(1);
    expect(countOpen("Not pushed.", turn("s", "commit"), turn("t", "commit the docs", "Done. Not pushed."))).toBe(1);
  });

  it("a later turn with the same request", () => {
    const stopped = turn("s", "backfill august with the new aggregation", "", { outcome: "aborted" });
    expect(countOpen("", stopped, turn("t", "backfill august with the new aggregation"))).toBe(0);
    expect(countOpen("", stopped, turn("t", "backfill august, one worker, new aggregation"))).toBe(0);
    expect(countOpen("", stopped, turn("t", "write the docs"))).toBe(1);
    expect(countOpen("", turn("s", "go", "", { outcome: "aborted" }), turn("s", "stop, do it otherwise"))).toBe(0);
  });
});

describe("an open end is not closed by", () => {
  const about = "Cache tax quotes per postcode and basket hash?";
  const first = turn("s", "2000 orders?", about);

  it("a turn of another project, an earlier turn, or an aborted turn", () => {
    const again = "cache the tax quotes per postcode";
    expect(countOpen(about, first, turn("t", again, "Done.", { project: "q" }))).toBe(1);
    expect(countOpen(about, turn("x", "2000 orders?", about), { ...turn("t", again), time: 1 })).toBe(1);
    expect(countOpen(about, first, turn("t", again, "", { outcome: "aborted" }))).toBe(1);
    expect(
      countOpen("The load test is still open.", turn("s", "limit it"), turn("s", "run it", "", { outcome: "aborted" })),
    ).toBe(1);
  });

  it("an automated turn, or a turn that was taken back", () => {
    expect(countOpen(about, first, turn("t", "cache the tax quotes per postcode", "ok", { entry: "automated" }))).toBe(
      1,
    );
    expect(countOpen(about, first, turn("t", "cache the tax quotes per postcode", "ok", { taken_back: true }))).toBe(1);
  });

  it("a turn whose prompt says not to implement it", () => {
    expect(countOpen(about, first, turn("t", "write an ADR for caching tax quotes, dont implement"))).toBe(1);
  });

  it("a turn that leaves the same open again", () => {
    const answer = "Set the cap so that this cannot happen again, and tell the data team they need a new snapshot.";
    const again = turn("t", "set the cap to 50GB", "Set to 50 GB. Telling the data team remains for you.");
    const dropped = turn("s", "drop the slot", answer);
    const all = [openEnd(dropped, answer), openEnd(again, "Telling the data team remains for you.")];
    // Listed once, for the turn that said it first.
    expect(stillOpen(all, [dropped, again]).map((one) => one.turn)).toEqual([dropped]);
  });
});

it("an open end that was closed and is left open again is listed for the later turn", () => {
  const about = "The import still fails for empty files.";
  const first = turn("s", "import files", about);
  const fixed = turn("t", "fix the import of empty files");
  const again = turn("u", "import the archive", about);
  const all = [openEnd(first, about), openEnd(again, about)];
  expect(stillOpen(all, [first, fixed, again]).map((one) => one.turn)).toEqual([again]);
});

describe("records that only add to the context of an open end", () => {
  const about = "The import still fails for empty files.";
  const uncertain = (from: Glimpse): OpenEnd => ({ ...openEnd(from, about), isCertain: false });
  const settle = turn("z", "fix the import of empty files");

  it("are not read if the open end is closed without them", () => {
    const first = turn("s", "import files", about);
    const later = { ...settle, time: first.time + 1 };
    expect(
      stillOpen([uncertain(first)], [first, later], () => {
        throw new Error("read");
      }),
    ).toEqual([]);
  });

  it("are read if it is still open, and may show that it is closed", () => {
    const first = turn("s", "import files", about);
    const later = turn("t", "revert the gzip header parser commit");
    const certain = { ...openEnd(first, about), context: "parse the gzip header with the new parser" };
    expect(stillOpen([openEnd(first, about)], [first, later])).toHaveLength(1);
    expect(stillOpen([uncertain(first)], [first, later], () => certain)).toEqual([]);
  });

  it("do not change the result when they are skipped", () => {
    const word = fc.constantFrom("import", "empty", "files", "gzip", "header", "parser", "cache", "quota", "tiles");
    const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((some) => some.join(" "));
    const one = fc.record({
      prompt: words,
      about: fc.option(words),
      commit: words,
      session: fc.constantFrom("s", "t"),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 8 }), (all) => {
        const turns = all.map(({ prompt, session }, i) => ({ ...turn(`${session}${i}`, prompt), time: i }));
        const openEnds = all.flatMap(({ about: what, commit }, i): { rough: OpenEnd; whole: OpenEnd }[] => {
          const from = turns[i];
          if (what === null || !from) return [];
          const whole = { ...openEnd(from, what), context: `${from.prompt}\n${commit}` };
          return [{ whole, rough: { ...whole, context: from.prompt, isCertain: false } }];
        });
        const wholeOf = new Map(openEnds.map(({ rough, whole }) => [rough.turn, whole]));
        const found = stillOpen(
          openEnds.map(({ rough }) => rough),
          turns,
          ({ turn: from }) => wholeOf.get(from) ?? null,
        );
        const expected = stillOpen(
          openEnds.map(({ whole }) => whole),
          turns,
        );
        expect(found.map(({ turn: from }) => from.time)).toEqual(expected.map(({ turn: from }) => from.time));
      }),
    );
  });
});
