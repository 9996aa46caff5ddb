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
const BEGINNINGS =
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

test("what begins in some way is what the engine finds by that beginning, in whatever order it is asked", () => {
  const store = indexOf(TEXTS);
  for (const asked of [BEGINNINGS, BEGINNINGS.toReversed(), BEGINNINGS.toSorted()]) {
    // A new connection to the same words has cached nothing yet.
    const other = indexOf(TEXTS);
    for (const each of [store, other])
      for (const text of asked)
        expect([text, rowsWith(each, Vocabulary.of(each).prefixExpression(text))]).toEqual([
          text,
          rowsWith(each, quotedTerm(text, true)),
        ]);
  }
});

test("a beginning that no word has is known without the engine, one of many words is left to it", () => {
  const vocabulary = Vocabulary.of(indexOf(TEXTS));
  expect(vocabulary.prefixExpression("exportu")).toBeNull();
  expect(vocabulary.prefixExpression("exporti")).toBe('"exportierung" OR "exporting"');
  expect(vocabulary.prefixExpression("many")).toBe('"many"*');
});

test("what was learnt is forgotten when something is written", () => {
  const store = indexOf(TEXTS);
  expect(Vocabulary.of(store).prefixExpression("exportu")).toBeNull();
  expect(Vocabulary.of(store)).toBe(Vocabulary.of(store));
  store.run("INSERT INTO text (rowid, body) VALUES (99, 'exportu')");
  expect(Vocabulary.of(store).prefixExpression("exportu")).toBe('"exportu"');
});
