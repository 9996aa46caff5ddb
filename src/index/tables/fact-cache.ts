import { packText, unpackText } from "./packed-text.ts";
import type { IndexStore } from "./index-store.ts";

/** Number of cached answers; each is as long as the answer itself. */
const MAX_ANSWERS = 8;

/** Facts found when a session's records were last read for a report, as JSON; null when they have to be read again. */
export function cachedFacts(store: IndexStore, session: string): string | null {
  const row = store.get("SELECT found FROM facts WHERE session = ?", session);
  return row ? unpackText(row["found"]) : null;
}

/** Stores facts, packed, for the next report. */
export function putFacts(store: IndexStore, session: string, packed: Uint8Array): void {
  store.add("INSERT OR REPLACE INTO facts (session, found) VALUES (?, ?)", session, packed);
}

/**
 * The cached answer to a question, as JSON, if nothing was written since; else null. For a busy day that takes a
 * twelfth of the time of a new report (`docs/performance.md`).
 */
export function cachedAnswer(store: IndexStore, question: string): string | null {
  const row = store.get("SELECT text FROM answer WHERE question = ?", question);
  return row ? unpackText(row["text"]) : null;
}

/** What a question found out, to be cached for the next one. */
export interface CacheEntries {
  /** By session. */
  facts: ReadonlyMap<string, string>;
  /** By question. */
  answers: ReadonlyMap<string, string>;
}

/**
 * Stores what was found out. Optional: skipped if another Daybook has changed the index meanwhile (`since` is no longer
 * its version), or is writing now.
 */
export function storeInCache(store: IndexStore, { facts, answers }: CacheEntries, since: number): void {
  if (facts.size + answers.size === 0) return;
  const isWritten = store.tryTransaction(() => {
    if (store.version() !== since) return;
    for (const [session, text] of facts) putFacts(store, session, packText(text));
    for (const [question, text] of answers)
      store.add("INSERT OR REPLACE INTO answer (question, text) VALUES (?, ?)", question, packText(text));
    store.add("DELETE FROM answer WHERE n <= (SELECT max(n) FROM answer) - ?", MAX_ANSWERS);
  });
  if (isWritten) store.settleLong();
}
