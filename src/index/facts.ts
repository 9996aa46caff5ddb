import { packText, unpackText } from "./packed-text.ts";
import type { IndexStore } from "./store.ts";

/** What was said of a session's records when they were last read for a report, as JSON; null when it has to be read again. */
export function keptFacts(store: IndexStore, session: string): string | null {
  const row = store.get("SELECT told FROM facts WHERE session = ?", session);
  return row ? unpackText(row["told"]) : null;
}

/**
 * Keeps what was found out, for the next report. Only a help: where another Daybook has changed the index meanwhile, or is
 * writing now, it is left.
 */
export function keepFacts(store: IndexStore, told: ReadonlyMap<string, string>, since: number): void {
  if (told.size === 0) return;
  try {
    store.transaction(() => {
      if (store.version() !== since) return;
      for (const [session, text] of told)
        store.run("INSERT OR REPLACE INTO facts (session, told) VALUES (?, ?)", session, packText(text));
    });
  } catch (error) {
    if (!(error instanceof Error && /locked|busy|readonly|full/i.test(error.message))) throw error;
  }
}
