import { expect, it } from "vitest";
import { BookOrigin } from "../../src/index/book-origin.ts";
import { cachedFacts } from "../../src/index/tables/fact-cache.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { factsInRecords } from "../../src/views/facts/record-facts.ts";
import type { SessionView } from "../../src/views/session-view.ts";
import { readTruth, rootOfCorpus, sourceOfCorpus } from "../truth.ts";
import { scratch, syncBook } from "./fixture.ts";

/** Per session, the facts found while its file was read, and those its records in the book say. */
async function factsOf(label: string): Promise<{ key: string; early: unknown; said: unknown }[]> {
  const home = scratch("home");
  await syncBook({ [sourceOfCorpus(label)]: [rootOfCorpus(label)] }, home);
  const store = IndexStore.openExisting(home);
  if (!store) throw new Error("no index");
  try {
    const origin = new BookOrigin(store);
    return store.all("SELECT key, view FROM session ORDER BY key").map(({ key, view }) => {
      const recorded = origin.recordedSession(JSON.parse(String(view)) as SessionView);
      const said: unknown = recorded && JSON.parse(JSON.stringify(factsInRecords(recorded, "")));
      return { key: String(key), early: JSON.parse(cachedFacts(store, String(key)) ?? "null") as unknown, said };
    });
  } finally {
    store.close();
    IndexStore.release(home);
  }
}

/** By agent: sessions read, and those whose facts were found while reading. */
const found = new Map<string, { all: number; early: number }>();

it.each(Object.keys(readTruth().corpora))("what is found while %s is read is what its records say", async (label) => {
  const sessions = await factsOf(label);
  for (const { key, early, said } of sessions)
    if (early !== null) expect({ key, facts: early }).toEqual({ key, facts: said });
  const source = sourceOfCorpus(label);
  const sum = found.get(source) ?? { all: 0, early: 0 };
  sum.all += sessions.length;
  sum.early += sessions.filter(({ early }) => early !== null).length;
  found.set(source, sum);
});

it("nearly no session need be read again for a report", () => {
  const rest = [...found].flatMap(([source, { all, early }]) => (early >= all * 0.9 ? [] : [{ source, all, early }]));
  expect(rest).toEqual([]);
});
