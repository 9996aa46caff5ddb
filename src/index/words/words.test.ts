import { expect, test } from "vitest";
import { DocWriter, dropDocs } from "../tables/doc-rows.ts";
import { IndexStore } from "../tables/index-store.ts";
import { DOC_KINDS } from "../search/text-kinds.ts";
import { phrasesOf, toMatchExpression } from "../search/terms.ts";
import { wordsIn } from "./letters.ts";
import { findMatches, segmentsOf } from "./match.ts";
import { checkSegments, scrubSegments, tidySegments } from "./write-segments.ts";

const WORDS = "the of parser index indexes indexing src turn Turns naïve Übergröße перезапуск 数据库 x1 a b".split(" ");
const KINDS = new Set(DOC_KINDS.keys());

/** The same texts every time. */
function texts(count: number, seed: number): string[] {
  let state = seed;
  const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + random(40) }, () => WORDS[random(WORDS.length)]).join([" ", "/", ".\n", ", "][random(4)]),
  );
}

const QUERIES = [
  "parser",
  "the of",
  '"the of"',
  "src/turn",
  "index*",
  "inde* turns",
  '"src index"',
  "naive",
  "ÜBERGRÖSSE",
  "übergröße",
  "数据",
  "数据库",
  "x*",
  "nowhere",
  "the of parser index src turn",
];

/** An index with each text as a file of its own, in segments of `together` texts. */
function indexOf(all: readonly string[], together: number): IndexStore {
  const store = IndexStore.unnamed(true);
  for (let from = 0; from < all.length; from += together) {
    const writer = new DocWriter(store);
    for (let i = from; i < Math.min(from + together, all.length); i++)
      writer.add(i, { line: i, kind: "output", time: null, at: 0, bytes: 0 }, all[i] ?? "");
    writer.finish();
  }
  return store;
}

/** Numbers of the texts that a query finds, with their scores. */
function found(store: IndexStore, query: string): [number, number][] {
  const matches = findMatches(
    store,
    phrasesOf(query).map((phrase) => [phrase]),
  );
  const scoreOf = matches.scorer();
  return matches
    .ids(KINDS)
    .map((id): [number, number] => {
      const row = store.get("SELECT line, words FROM doc WHERE id = ?", id);
      return [Number(row?.["line"]), Number(scoreOf(id, Number(row?.["words"])).toFixed(9))];
    })
    .toSorted(([a], [b]) => a - b);
}

/** The same by SQLite's own index of words. */
function foundByFts(all: readonly (readonly [number, string])[]): (query: string) => [number, number][] {
  const store = IndexStore.unnamed(true);
  for (const [i, text] of all)
    store.run(
      "INSERT INTO instruction_text (rowid, body) VALUES (?, ?)",
      i + 1,
      text.replaceAll("数据库", " 数据 据库 库 "),
    );
  return (query) =>
    store
      .list(
        "SELECT rowid, bm25(instruction_text) FROM instruction_text WHERE instruction_text MATCH ? ORDER BY rowid",
        toMatchExpression(phrasesOf(query)),
      )
      .map(([id, score]) => [Number(id) - 1, Number(Number(score).toFixed(9))]);
}

test("finds the same texts as SQLite, with the same scores, however many segments there are", () => {
  const all = texts(300, 7);
  const expected = foundByFts(all.map((text, i) => [i, text] as const));
  expect(expected("parser").length).toBeGreaterThan(50);
  for (const together of [1, 7, 300]) {
    const store = indexOf(all, together);
    for (const query of QUERIES) expect([query, found(store, query)]).toEqual([query, expected(query)]);
  }
});

test("texts that are deleted are neither found nor counted, before their words are removed and after", () => {
  const all = texts(200, 11);
  const store = indexOf(all, 9);
  const kept = all.map((text, i) => [i, text] as const).filter(([i]) => i % 3 !== 0 && (i < 20 || i > 60));
  const numbers = new Set(kept.map(([i]) => i));
  for (const i of all.keys()) if (!numbers.has(i)) dropDocs(store, i);
  const expected = foundByFts(kept);
  for (const tidy of [() => undefined, tidySegments, scrubSegments]) {
    tidy(store);
    checkSegments(store);
    for (const query of QUERIES) expect([query, found(store, query)]).toEqual([query, expected(query)]);
  }
});

test("many small segments become few, and the words of deleted texts are removed", () => {
  const all = texts(200, 3);
  const store = indexOf(all, 1);
  const words = (): unknown => store.get("SELECT sum(length(body)) AS n FROM segment_block")?.["n"];
  expect(segmentsOf(store)).toHaveLength(200);
  tidySegments(store);
  expect(segmentsOf(store).length).toBeLessThan(10);
  const before = Number(words());
  for (let i = 0; i < 199; i++) dropDocs(store, i);
  scrubSegments(store);
  expect(Number(words())).toBeLessThan(before / 10);
  dropDocs(store, 199);
  scrubSegments(store);
  expect(store.get("SELECT count(*) AS n FROM segment_block")).toEqual({ n: 0 });
});

test("a damaged block of words is noticed, not taken for fewer words", () => {
  const store = indexOf(texts(300, 5), 300);
  const body = store.get("SELECT id, body FROM segment_block ORDER BY id LIMIT 1");
  const cut = body?.["body"];
  if (!(cut instanceof Uint8Array)) throw new Error("no block");
  store.run("UPDATE segment_block SET body = ? WHERE id = ?", cut.subarray(0, cut.length - 3), Number(body?.["id"]));
  expect(() => checkSegments(store)).toThrow("damaged");
});

test("a word is what stands between other characters, without case and accents", () => {
  expect(wordsIn("Don't re-run src/Foo_bar.ts:12 Ünïcode e\u0301te\u0301 ÅΣς 𝐀𝐛 ٣ ｅｘ 🎉x")).toEqual([
    "don",
    "t",
    "re",
    "run",
    "src",
    "foo",
    "bar",
    "ts",
    "12",
    "unicode",
    "ete",
    "aσς",
    "𝐀𝐛",
    "٣",
    "ｅｘ",
    "x",
  ]);
});

test("texts with other bytes than letters, long words and many of them are found by each of their words", () => {
  const long = "ab".repeat(3000);
  const many = Array.from({ length: 30_000 }, (_, i) => `w${i}`).join("-");
  const store = indexOf(["\u0000\u{1f600}\ud800 tail", `${long} after`, many, "", "w29999 w0"], 5);
  expect(found(store, "tail").map(([i]) => i)).toEqual([0]);
  expect(found(store, "after").map(([i]) => i)).toEqual([1]);
  expect(found(store, `${long.slice(0, 900)}*`).map(([i]) => i)).toEqual([1]);
  expect(found(store, '"w29998 w29999"').map(([i]) => i)).toEqual([2]);
  expect(found(store, "w29999").map(([i]) => i)).toEqual([2, 4]);
});
