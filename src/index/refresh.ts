import type { ReadMeter } from "../io/bytes.ts";
import { assemble } from "../turns/assemble.ts";
import { sessionKey, type Session } from "../turns/session.ts";
import { bookLoader } from "./copies.ts";
import type { Describe, Described } from "./describe.ts";
import { loadFamily } from "./drafts.ts";
import { familiesOf } from "./families.ts";
import { settleNames } from "./project-names.ts";
import { settleAsked } from "./asked.ts";
import { writeChanges, type Grown } from "./session-changes.ts";
import { dropSession, writeSession } from "./session-rows.ts";
import type { IndexStore } from "./store.ts";
import { keptTitles, titleFrom } from "./titles.ts";
import { isStale, link, staleSessions } from "./units.ts";

export interface Refreshed {
  sessions: number;
  rows: number;
}

/**
 * Puts together every session that is not what its files say; of those that only grew, by what became different. Returns how
 * many were looked at, and the rows written.
 */
export function refreshStale(
  store: IndexStore,
  describe: Describe,
  meter: ReadMeter,
  grown: Iterable<Grown> = [],
): Refreshed {
  const told = withTitles(store, describe);
  const done = refreshGrown(store, grown, told);
  const seen = new Set<string>();
  for (const key of staleSessions(store)) {
    if (seen.has(key)) continue;
    // Asked for one by one: what a family shares with others is known when it was put together.
    const loaded = loadFamily(store, familiesOf(store, [key]).flat(), true);
    done.rows += writeFamily(store, loaded, told, meter);
    done.sessions += loaded.members.size;
    for (const member of loaded.members) seen.add(member);
  }
  done.rows += store.batched(() => settleNames(store));
  done.rows += store.batched(() => settleAsked(store));
  store.commit();
  return done;
}

/**
 * The same for sessions just read while others still are: those that stand alone. A family waits until all of it is read;
 * where somebody who comes later belongs to one of these after all, it is put together again.
 */
export function refreshAlone(
  store: IndexStore,
  keys: Iterable<string>,
  describe: Describe,
  meter: ReadMeter,
  grown: Iterable<Grown> = [],
): Refreshed {
  const told = withTitles(store, describe);
  const done = refreshGrown(store, grown, told);
  for (const family of familiesOf(store, keys)) {
    if (family.length > 1 || !isStale(store, family[0] ?? "")) continue;
    const loaded = loadFamily(store, family, true);
    if (loaded.members.size > 1) continue;
    done.rows += writeFamily(store, loaded, told, meter);
    done.sessions++;
  }
  return done;
}

function refreshGrown(store: IndexStore, grown: Iterable<Grown>, describe: Described): Refreshed {
  const done = { sessions: 0, rows: 0 };
  for (const one of grown) {
    const rows = store.batched(() => {
      const written = writeChanges(store, one, describe);
      if (written !== null) store.run("UPDATE unit SET stale = 0 WHERE id = ?", one.unit);
      return written;
    });
    if (rows === null) continue;
    done.rows += rows;
    done.sessions++;
  }
  return done;
}

function withTitles(store: IndexStore, describe: Describe): Described {
  const kept = keptTitles(store);
  return { ...describe, title: (session: Session) => titleFrom(session, kept) };
}

/**
 * Says of a session's files that they were put together. One by one: a statement that may write several rows makes the engine
 * write out the words it is collecting, and small lots of words are merged again and again.
 */
function settle(store: IndexStore, key: string, alone: number): void {
  const slash = key.indexOf("/");
  const files = store.all(
    "SELECT id FROM unit WHERE source = ? AND session_id = ? AND (stale = 1 OR alone <> ?)",
    ...[key.slice(0, slash), key.slice(slash + 1), alone],
  );
  for (const { id } of files) store.run("UPDATE unit SET stale = 0, alone = ? WHERE id = ?", alone, id ?? 0);
}

function writeFamily(
  store: IndexStore,
  { members, drafts }: ReturnType<typeof loadFamily>,
  describe: Described,
  meter: ReadMeter,
): number {
  const { sessions, sharing } = assemble([...drafts.keys()], bookLoader(drafts, meter));
  return store.batched(() => {
    let written = 0;
    const present = new Set(sessions.map(sessionKey));
    const alone = Number(members.size === 1);
    for (const key of members) {
      if (!present.has(key)) written += dropSession(store, key);
      settle(store, key, alone);
    }
    for (const session of sessions) written += writeSession(store, session, describe);
    // Only one of them has the row: the other would not be thought of when that one changes.
    for (const [a, b] of sharing) link(store, sessionKey(a), sessionKey(b));
    return written;
  });
}
