import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { DATA } from "../../../places.ts";
import { termsOf } from "./terms.ts";

it("a request is told by what it is about, in any language, with or without accents", () => {
  expect([...termsOf("Ya me lo han aprobado, mézclalo")]).toEqual(["aprobado", "mezclalo"]);
  expect([...termsOf("la rotación no está hecha")]).toEqual([...termsOf("la rotacion hecha")]);
  expect([...termsOf("to teraz wypchnij tag")]).toEqual([...termsOf("wypchnij tag")]);
  expect([...termsOf("is the migration run?")]).toEqual([...termsOf("migrations")]);
});

it("data/common-words.json holds lower-case words of each language once", () => {
  const byLanguage = JSON.parse(readFileSync(new URL("common-words.json", DATA), "utf8")) as Record<string, string>;
  for (const [language, text] of Object.entries(byLanguage)) {
    const words = text.split(" ");
    expect([language, words.filter((word, i) => word === "" || words.indexOf(word) !== i)]).toEqual([language, []]);
    expect(text).toBe(text.toLowerCase());
  }
});
