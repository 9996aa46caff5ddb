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

function left(from: Glimpse, about: string, unfinished = false): OpenEnd {
  return { turn: from, about, context: `${from.prompt}\n${from.final}`, unfinished, isCertain: true };
}

/** What is still open of what the first turn left, after the other turns. */
function rest(about: string, first: Glimpse, ...later: Glimpse[]): number {
  const unfinished = first.outcome !== "completed";
  return stillOpen([left(first, about, unfinished)], [first, ...later]).length;
}

describe("what is left is settled by", () => {
  it("a later turn of the same session", () => {
    expect(rest("Not pushed.", turn("s", "commit"), turn("s", "thanks"))).toBe(0);
    expect(rest("Not pushed.", turn("s", "thanks"), turn("t", "another thing entirely"))).toBe(1);
  });

  it("a later turn of the project that takes it up, in other words too", () => {
    const about = "The migrator needs the `-- no-transaction` marker, which this file does not have yet.";
    const first = turn("s", "add the index", about);
    expect(rest(about, first, turn("t", "add the no-transaction marker to 0043 like you said yesterday"))).toBe(0);
    expect(
      rest(
        "I could not test it behind the office proxy.",
        turn("s", "enable tls"),
        turn("t", "tested in the office, works"),
      ),
    ).toBe(0);
    expect(rest("I may not close issues.", turn("s", "close 41 and 44"), turn("t", "closed 41 and 44 myself"))).toBe(0);
  });

  it("the one deed that was missing, by whomever", () => {
    expect(rest("Not pushed.", turn("s", "commit"), turn("t", "ship it", "Committed and pushed."))).toBe(0);
    expect(rest("Not pushed.", turn("s", "commit"), turn("t", "look", "Nothing to see."))).toBe(1);
    expect(rest("Not pushed.", turn("s", "commit"), turn("t", "commit the docs", "Done. Not pushed."))).toBe(1);
  });

  it("the same asked again", () => {
    const stopped = turn("s", "backfill august with the new aggregation", "", { outcome: "aborted" });
    expect(rest("", stopped, turn("t", "backfill august with the new aggregation"))).toBe(0);
    expect(rest("", stopped, turn("t", "backfill august, one worker, new aggregation"))).toBe(0);
    expect(rest("", stopped, turn("t", "write the docs"))).toBe(1);
    expect(rest("", turn("s", "go", "", { outcome: "aborted" }), turn("s", "stop, do it otherwise"))).toBe(0);
  });
});

describe("what is left is not settled by", () => {
  const about = "Cache tax quotes per postcode and basket hash?";
  const first = turn("s", "2000 orders?", about);

  it("another project, an earlier turn, or somebody who was stopped", () => {
    const again = "cache the tax quotes per postcode";
    expect(rest(about, first, turn("t", again, "Done.", { project: "q" }))).toBe(1);
    expect(rest(about, turn("x", "2000 orders?", about), { ...turn("t", again), time: 1 })).toBe(1);
    expect(rest(about, first, turn("t", again, "", { outcome: "aborted" }))).toBe(1);
    expect(
      rest("The load test is still open.", turn("s", "limit it"), turn("s", "run it", "", { outcome: "aborted" })),
    ).toBe(1);
  });

  it("a program, or a turn that was taken back", () => {
    expect(rest(about, first, turn("t", "cache the tax quotes per postcode", "ok", { entry: "automated" }))).toBe(1);
    expect(rest(about, first, turn("t", "cache the tax quotes per postcode", "ok", { taken_back: true }))).toBe(1);
  });

  it("a turn that was told not to do it", () => {
    expect(rest(about, first, turn("t", "write an ADR for caching tax quotes, dont implement"))).toBe(1);
  });

  it("a turn that leaves the same again", () => {
    const said = "Set the cap so that this cannot happen again, and tell the data team they need a new snapshot.";
    const again = turn("t", "set the cap to 50GB", "Set to 50 GB. Telling the data team remains for you.");
    const dropped = turn("s", "drop the slot", said);
    const all = [left(dropped, said), left(again, "Telling the data team remains for you.")];
    // Listed once, where it was said first.
    expect(stillOpen(all, [dropped, again]).map((one) => one.turn)).toEqual([dropped]);
  });
});

it("what was settled and is left again is another matter", () => {
  const about = "The import still fails for empty files.";
  const first = turn("s", "import files", about);
  const fixed = turn("t", "fix the import of empty files");
  const again = turn("u", "import the archive", about);
  const all = [left(first, about), left(again, about)];
  expect(stillOpen(all, [first, fixed, again]).map((one) => one.turn)).toEqual([again]);
});

describe("records that would only add to the context of what is left", () => {
  const about = "The import still fails for empty files.";
  const uncertain = (from: Glimpse): OpenEnd => ({ ...left(from, about), isCertain: false });
  const settle = turn("z", "fix the import of empty files");

  it("are not read of what was taken up anyway", () => {
    const first = turn("s", "import files", about);
    const later = { ...settle, time: first.time + 1 };
    expect(
      stillOpen([uncertain(first)], [first, later], () => {
        throw new Error("read");
      }),
    ).toEqual([]);
  });

  it("are read of what is left, and may show that it was taken up", () => {
    const first = turn("s", "import files", about);
    const later = turn("t", "revert the gzip header parser commit");
    const certain = { ...left(first, about), context: "parse the gzip header with the new parser" };
    expect(stillOpen([left(first, about)], [first, later])).toHaveLength(1);
    expect(stillOpen([uncertain(first)], [first, later], () => certain)).toEqual([]);
  });

  it("change nothing about the answer where they are not read", () => {
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
        const lefts = all.flatMap(({ about: what, commit }, i): { rough: OpenEnd; whole: OpenEnd }[] => {
          const from = turns[i];
          if (what === null || !from) return [];
          const whole = { ...left(from, what), context: `${from.prompt}\n${commit}` };
          return [{ whole, rough: { ...whole, context: from.prompt, isCertain: false } }];
        });
        const wholeOf = new Map(lefts.map(({ rough, whole }) => [rough.turn, whole]));
        const found = stillOpen(
          lefts.map(({ rough }) => rough),
          turns,
          ({ turn: from }) => wholeOf.get(from) ?? null,
        );
        const expected = stillOpen(
          lefts.map(({ whole }) => whole),
          turns,
        );
        expect(found.map(({ turn: from }) => from.time)).toEqual(expected.map(({ turn: from }) => from.time));
      }),
    );
  });
});
