import { packText, unpackText } from "./packed-text.ts";
import type { IndexStore } from "./index-store.ts";

/** As many finished answers are kept; they are as long as what they answer. */
const MOST = 8;

/** What was said of a session's records when they were last read for a report, as JSON; null when it has to be read again. */
export function cachedFacts(store: IndexStore, session: string): string | null {
  const row = store.get("SELECT found FROM facts WHERE session = ?", session);
  return row ? unpackText(row["found"]) : null;
}

/**
 * The answer to a question, as JSON, when nothing was written since it was given; else null. Of a busy day that is a twelfth of what
 * the report costs anew (`docs/performance.md`).
 */
export function cachedAnswer(store: IndexStore, question: string): string | null {
  const row = store.get("SELECT text FROM answer WHERE question = ?", question);
  return row ? unpackText(row["text"]) : null;
}

/** What was found out by a question, worth keeping for the next. */
export interface CacheEntries {
  /** By session. */
  facts: ReadonlyMap<string, string>;
  /** By question. */
  answers: ReadonlyMap<string, string>;
}

/**
 * Keeps what was found out. Only a help: where another Daybook has changed the index meanwhile (`since` is not its version any
 * more), or is writing now, it is left.
 */
export function cache(store: IndexStore, { facts, answers }: CacheEntries, since: number): void {
  if (facts.size + answers.size === 0) return;
  const isWritten = store.tryTransaction(() => {
    if (store.version() !== since) return;
    for (const [session, text] of facts)
      store.add("INSERT OR REPLACE INTO facts (session, found) VALUES (?, ?)", session, packText(text));
    for (const [question, text] of answers)
      store.add("INSERT OR REPLACE INTO answer (question, text) VALUES (?, ?)", question, packText(text));
    store.add("DELETE FROM answer WHERE n <= (SELECT max(n) FROM answer) - ?", MOST);
  });
  if (isWritten) store.settleLong();
}
