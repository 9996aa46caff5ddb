import { describe, expect, it } from "vitest";
import { answers, copyCorpus, differences, LABELS, open, scratch } from "./fixture.ts";

describe("answers from the index", () => {
  it.each(LABELS)("are those read directly: %s", async (label) => {
    const { roots } = copyCorpus([label]);
    const direct = await answers(open(roots));
    const indexed = await answers(open(roots, scratch("book")));
    const wrong = differences(direct, indexed);
    for (const key of wrong) expect({ [key]: indexed[key] }).toEqual({ [key]: direct[key] });
    expect(wrong).toEqual([]);
  });

  it("are those read directly, all sources together", async () => {
    const { roots } = copyCorpus();
    const direct = await answers(open(roots));
    const indexed = await answers(open(roots, scratch("book")));
    expect(differences(direct, indexed)).toEqual([]);
  });
});
