import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DATA } from "../../../places.ts";
import { fold, isRun } from "../terms.ts";
import { LONGEST_PHRASE } from "./question.ts";
import { LONGEST_RUN } from "./trade-words.ts";
import { recallWords, type RecallWords } from "./words.ts";

const FILE: unknown = JSON.parse(readFileSync(new URL("recall.json", DATA), "utf8"));

/** In lower case, one space between words, and no sign that separates the words of a question. */
const word = z
  .string()
  .regex(/^[\p{L}\p{N}\p{M}+#./_-]+(?: [\p{L}\p{N}\p{M}+#./_-]+)*$/u)
  .lowercase();
/** What a question is searched for: a longer one would never be found in it. */
const findable = word.refine((text) => (isRun(text) ? text.length <= LONGEST_RUN : wordsIn(text) <= LONGEST_PHRASE));
const list = (of: z.ZodType<string>): z.ZodType<readonly string[]> =>
  z.array(of).refine((words) => new Set(words.map(fold)).size === words.length, "a word twice");
const some = (of: z.ZodType<string>): z.ZodType<readonly string[]> => list(of).refine((words) => words.length > 0);
const shape: z.ZodType<RecallWords> = z.strictObject({
  synonyms: z.record(word, z.array(z.strictObject({ english: some(findable), others: list(findable) })).min(1)),
  everyday: z.record(word, z.array(z.strictObject({ terms: some(word), expressions: some(findable) })).min(1)),
  weak: some(word),
  names: some(word),
});

function wordsIn(text: string): number {
  return text.split(" ").length;
}

describe("data/recall.json", () => {
  it("has the shape that questions rely on", () => {
    expect(shape.safeParse(FILE).error?.issues ?? []).toEqual([]);
  });

  it("is folded when read, without a change of its structure", () => {
    const read = recallWords();
    expect(shape.safeParse(read).error?.issues ?? []).toEqual([]);
    expect(Object.keys(read.synonyms)).toEqual(Object.keys(shape.parse(FILE).synonyms));
    expect(read.weak).toContain("pequeno");
  });
});
