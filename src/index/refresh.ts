import type { ReadMeter } from "../io/bytes.ts";
import { assemble } from "../turns/assemble.ts";
import { sessionKey, type Session } from "../turns/session.ts";
import { bookLoader } from "./copies.ts";
import type { Describe, Described } from "./describe.ts";
import { loadFamily } from "./drafts.ts";
import { familiesOf } from "./families.ts";
import { dropSession, writeSession } from "./session-rows.ts";
import type { IndexStore } from "./store.ts";
import { keptTitles } from "./titles.ts";
import { staleSessions } from "./units.ts";

/** Puts together every session that is not what its files say. Returns how many were looked at, and the rows written. */
export function refreshStale(
  store: IndexStore,
  describe: Describe,
  meter: ReadMeter,
): { sessions: number; rows: number } {
  const done = { sessions: 0, rows: 0 };
  const kept = keptTitles(store);
  const told = { ...describe, title: (session: Session) => describe.title(session, kept) };
  for (const family of familiesOf(store, staleSessions(store))) {
    done.rows += refreshFamily(store, family, told, meter);
    done.sessions += family.length;
  }
  store.commit();
  return done;
}

function refreshFamily(store: IndexStore, keys: readonly string[], describe: Described, meter: ReadMeter): number {
  const { members, drafts } = loadFamily(store, keys, true);
  const { sessions } = assemble([...drafts.keys()], bookLoader(drafts, meter));
  return store.batched(() => {
    let written = 0;
    const present = new Set(sessions.map(sessionKey));
    for (const key of members) {
      if (!present.has(key)) written += dropSession(store, key);
      const slash = key.indexOf("/");
      store.run(
        "UPDATE unit SET stale = 0 WHERE source = ? AND session_id = ? AND stale = 1",
        key.slice(0, slash),
        key.slice(slash + 1),
      );
    }
    for (const session of sessions) written += writeSession(store, session, describe);
    return written;
  });
}
