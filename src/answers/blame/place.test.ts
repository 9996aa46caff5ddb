import { describe, expect, it } from "vitest";
import { changesOf } from "./place.ts";

/** In the form of `git diff -U0`: lines before, lines after. */
function hunks(a: string, b: string): string[] {
  const [before, after] = [a.split("|"), b.split("|")];
  return changesOf(before, after).map(
    ({ a0, a1, b0, b1 }) => `${a0}: ${before.slice(a0, a1).join("|")} > ${b0}: ${after.slice(b0, b1).join("|")}`,
  );
}

/** The expectations are the output of `git diff --no-index -U0` (2.39) on the same lines. */
describe("changes of a text", () => {
  it("are placed where git places them", () => {
    // A changed line and the lines inserted after it are one change.
    expect(hunks("def a|  x||def c|  z", "def a|  y||def b|  w||def c|  z")).toEqual(["1:   x > 1:   y||def b|  w"]);
    // A pure insertion begins after a blank line.
    expect(hunks("a|  x||c|  z", "a|  x||b|  w||c|  z")).toEqual(["3:  > 3: b|  w|"]);
    expect(hunks("{|  a|}", "{|  a|}|{|  b|}")).toEqual(["3:  > 3: {|  b|}"]);
    expect(hunks("a|a|a", "a|a")).toEqual(["2: a > 2: "]);
    expect(hunks("", "a")).toEqual(["0:  > 0: a"]);
    expect(hunks("a|b", "a|b")).toEqual([]);
  });

  it("leave equal lines between them, also in long texts with little in common", () => {
    const a = Array.from({ length: 3000 }, (_, i) => `line ${(i * 7919) % 3001}`);
    const b = Array.from({ length: 3000 }, (_, i) => `line ${(i * 104_729) % 3001}`);
    const changed = changesOf(a, b);
    let [i, j] = [0, 0];
    for (const { a0, a1, b0, b1 } of [...changed, { a0: 3000, a1: 3000, b0: 3000, b1: 3000 }]) {
      expect(a.slice(i, a0)).toEqual(b.slice(j, b0));
      [i, j] = [a1, b1];
    }
  });
});
