import { expect, test } from "vitest";
import { IndexStore } from "../../tables/index-store.ts";
import { quotedTerm } from "../terms.ts";
import { Vocabulary } from "./vocabulary.ts";

const TEXTS = [
  "export exports exporting exported exporter",
  "Exportierung der Rechnungen, Rechnungsnummer",
  "перезапуск перезапускались переход",
  "ｅｘｐｏｒｔ 𝐞𝐱𝐩𝐨𝐫𝐭 zebra zzz",
  Array.from({ length: 60 }, (_, i) => `many${i}`).join(" "),
];
const PREFIXES =
  "a e ex exp export exporte exporting exportings exportu m many manya n r rech rechnungsx перез перезапуск перея ｅ ｅx 𝐞 z zz zzzz c++ re-ch".split(
    " ",
  );

function indexOf(texts: readonly string[]): IndexStore {
  const store = IndexStore.unnamed();
  for (const [i, text] of texts.entries()) store.run("INSERT INTO text (rowid, body) VALUES (?, ?)", i + 1, text);
  return store;
}

function rowsWith(store: IndexStore, match: string | null): unknown[] {
  return match === null ? [] : store.list("SELECT rowid FROM text WHERE text MATCH ? ORDER BY rowid", match).flat();
}

test("a prefix finds the same rows as SQLite's own prefix query, in any order of queries", () => {
  const store = indexOf(TEXTS);
  for (const prefixes of [PREFIXES, PREFIXES.toReversed(), PREFIXES.toSorted()]) {
    // A new index with the same words has cached nothing yet.
    const uncached = indexOf(TEXTS);
    for (const index of [store, uncached])
      for (const prefix of prefixes)
        expect([prefix, rowsWith(index, Vocabulary.of(index).prefixExpression(prefix))]).toEqual([
          prefix,
          rowsWith(index, quotedTerm(prefix, true)),
        ]);
  }
});

test("a prefix becomes null without words, a list of few words, and a prefix query for many words", () => {
  const vocabulary = Vocabulary.of(indexOf(TEXTS));
  expect(vocabulary.prefixExpression("exportu")).toBeNull();
  expect(vocabulary.prefixExpression("exporti")).toBe('"exportierung" OR "exporting"');
  expect(vocabulary.prefixExpression("many")).toBe('"many"*');
});

test("the cache is dropped when a text is written", () => {
  const store = indexOf(TEXTS);
  expect(Vocabulary.of(store).prefixExpression("exportu")).toBeNull();
  expect(Vocabulary.of(store)).toBe(Vocabulary.of(store));
  store.run("INSERT INTO text (rowid, body) VALUES (99, 'exportu')");
  expect(Vocabulary.of(store).prefixExpression("exportu")).toBe('"exportu"');
});
