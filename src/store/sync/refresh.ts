import { isLocal } from "../../errors.ts";
import type { ReadMeter } from "../../io/bytes.ts";
import type { SqlValue } from "../../io/sqlite.ts";
import type { Diagnostic } from "../../sources/contract.ts";
import { assemble, leftOut } from "../../turns/assemble.ts";
import { sessionKey } from "../../turns/session.ts";
import { parseRow } from "../tables/damaged-index.ts";
import { bookLoader } from "./copies.ts";
import type { Describe, Described } from "../tables/describe.ts";
import { loadFamily } from "./drafts.ts";
import { familiesOf } from "./families.ts";
import { settleNames } from "../tables/project-names.ts";
import { settlePrompts } from "../tables/prompts.ts";
import { growsAlone, writeChanges, type Grown } from "./session-changes.ts";
import { dropSession, writeSession } from "../tables/session-rows.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { loadTitles } from "../tables/titles.ts";
import { isStale, link, staleSessions } from "../tables/file-rows.ts";

export interface Refreshed {
  sessions: number;
  rows: number;
  /** Files whose sessions cannot be put together. */
  failed: Diagnostic[];
}

/**
 * Puts together every session that is not what its files say; of those that only grew, by what became different. Returns how
 * many were looked at, and the rows written.
 */
export function refreshStale(
  store: IndexStore,
  describe: Describe,
  meter: ReadMeter,
  grown: Iterable<Grown>,
): Refreshed {
  const described = describe.withTitles(loadTitles(store));
  const done = refreshGrown(store, grown, described);
  const seen = new Set<string>();
  for (const key of staleSessions(store)) {
    if (seen.has(key)) continue;
    // Asked for one by one: what a family shares with others is known when it was put together.
    const family = familiesOf(store, [key]).flat();
    for (const member of guarded(store, done, family, () => {
      const loaded = loadFamily(store, family, true);
      writeFamily(store, loaded, described, meter, done);
      return loaded.members;
    }))
      seen.add(member);
  }
  done.rows += store.batched(() => settleNames(store));
  done.rows += store.batched(() => settlePrompts(store));
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
  grown: Iterable<Grown>,
): Refreshed {
  const described = describe.withTitles(loadTitles(store));
  const done = refreshGrown(store, grown, described);
  for (const family of familiesOf(store, keys)) {
    if (family.length > 1 || !isStale(store, family[0] ?? "")) continue;
    guarded(store, done, family, () => {
      const loaded = loadFamily(store, family, true);
      if (loaded.members.size === 1) writeFamily(store, loaded, described, meter, done);
      return loaded.members;
    });
  }
  return done;
}

/** Whatever goes wrong with one family stays with it: it has no rows until it can be put together, and its files say so. */
function guarded(
  store: IndexStore,
  done: Refreshed,
  family: readonly string[],
  work: () => ReadonlySet<string>,
): Iterable<string> {
  try {
    return work();
  } catch (error) {
    if (!isLocal(error)) throw error;
    store.batched(() => {
      for (const key of family) {
        done.rows += dropSession(store, key);
        for (const file of filesOf(store, key)) blame(store, leftOut(file, error), done);
      }
    });
    return family;
  }
}

/** They stay stale: whoever changes next has them tried again. */
function blame(store: IndexStore, problem: Diagnostic, done: Refreshed): void {
  const { source, path } = problem;
  for (const { id = 0, problems } of store.all(
    "SELECT id, problems FROM unit WHERE source = ? AND path = ?",
    source,
    path,
  )) {
    const others = (parseRow(problems) as Diagnostic[]).filter((one) => one.message !== problem.message);
    const listed = JSON.stringify([...others, problem]);
    store.run("UPDATE unit SET stale = 1, alone = 0, problems = ? WHERE id = ?", listed, id);
  }
  done.failed.push(problem);
}

function mended(problems: SqlValue | undefined): string {
  return JSON.stringify((parseRow(problems) as Diagnostic[]).filter(({ code }) => code !== "file_unreadable"));
}

function filesOf(store: IndexStore, key: string): { source: string; path: string }[] {
  const slash = key.indexOf("/");
  const [source, session] = [key.slice(0, slash), key.slice(slash + 1)];
  const rows = store.all("SELECT path FROM unit WHERE source = ? AND session_id = ? ORDER BY id", source, session);
  return rows.map(({ path }) => ({ source, path: String(path) }));
}

function refreshGrown(store: IndexStore, grown: Iterable<Grown>, describe: Described): Refreshed {
  const done: Refreshed = { sessions: 0, rows: 0, failed: [] };
  for (const one of grown) {
    const rows = store.batched(() => {
      const written = changesOf(store, one, describe);
      if (written !== null) store.run("UPDATE unit SET stale = 0 WHERE id = ?", one.unit);
      return written;
    });
    if (rows === null) continue;
    done.rows += rows;
    done.sessions++;
  }
  return done;
}

/** Where it cannot be described by what became different, the session is put together whole; then it is known whether that is possible. */
function changesOf(store: IndexStore, grown: Grown, describe: Described): number | null {
  try {
    return writeChanges(store, grown, describe);
  } catch (error) {
    if (!isLocal(error)) throw error;
    return null;
  }
}

/**
 * Says of a session's files that they were put together. One by one: a statement that may write several rows makes the engine
 * write out the words it is collecting, and small lots of words are merged again and again.
 */
function settle(store: IndexStore, key: string, alone: number): void {
  const slash = key.indexOf("/");
  const files = store.all(
    "SELECT id, problems FROM unit WHERE source = ? AND session_id = ? AND (stale = 1 OR alone <> ?)",
    ...[key.slice(0, slash), key.slice(slash + 1), alone],
  );
  for (const { id = 0, problems } of files) {
    store.run("UPDATE unit SET stale = 0, alone = ? WHERE id = ?", alone, id);
    // What was wrong when it was tried before.
    if (String(problems).includes('"file_unreadable"'))
      store.run("UPDATE unit SET problems = ? WHERE id = ?", mended(problems), id);
  }
}

function writeFamily(
  store: IndexStore,
  { members, drafts }: ReturnType<typeof loadFamily>,
  describe: Described,
  meter: ReadMeter,
  done: Refreshed,
): void {
  const assembly = assemble([...drafts.keys()], bookLoader(drafts, meter));
  const { sessions, byKey, sharing, diagnostics } = assembly;
  done.sessions += members.size;
  done.rows += store.batched(() => {
    let written = 0;
    for (const key of members) {
      const session = byKey.get(key);
      if (!session) written += dropSession(store, key);
      settle(store, key, Number(members.size === 1 || (session !== undefined && growsAlone(session, assembly))));
    }
    for (const session of sessions) written += writeSession(store, session, describe);
    for (const problem of diagnostics) if (problem.code === "file_unreadable") blame(store, problem, done);
    // Only one of them has the row: the other would not be thought of when that one changes.
    for (const [a, b] of sharing) link(store, sessionKey(a), sessionKey(b));
    return written;
  });
}
