import { join } from "node:path";
import { isLocal } from "../../base/errors.ts";
import type { ReadMeter } from "../../base/io/bytes.ts";
import type { SqlValue } from "../../base/io/sqlite.ts";
import type { Diagnostic } from "../../agents/contract.ts";
import { assemble, leftOutDiagnostic } from "../../turns/assemble.ts";
import { parseRow } from "../tables/damaged-index.ts";
import { bookLoader } from "./copies.ts";
import type { SessionDescriber, TitledDescriber } from "../tables/describe.ts";
import { DraftedSessions, writeDrafted } from "./drafted-session.ts";
import { loadFamily } from "./drafts.ts";
import { isOfOneFile } from "./early-facts.ts";
import { familiesOf } from "./families.ts";
import { putFacts } from "../tables/fact-cache.ts";
import { settleNames } from "../tables/project-names.ts";
import { settlePrompts } from "../tables/prompts.ts";
import { growsAlone, writeChanges, type GrownFile } from "./session-changes.ts";
import { dropSession, writeSession } from "../tables/session-rows.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { loadTitles, type Titles } from "../tables/titles.ts";
import { isStale, linkSessions, staleSessions } from "../tables/file-rows.ts";
import { parseSessionKey, sessionKey } from "../../record/session-key.ts";

export interface RefreshResult {
  sessions: number;
  rows: number;
  /** Files whose sessions cannot be assembled. */
  failed: Diagnostic[];
}

/** What sessions are assembled with. */
export interface RefreshInput {
  describe: SessionDescriber;
  meter: ReadMeter;
  /** Files that only grew. */
  grown: readonly GrownFile[];
  /** What was found in files while they were read, by their pages. */
  facts: ReadonlyMap<string, Uint8Array>;
  /** Rows that were made while files were read. */
  drafted: DraftedSessions;
}

/** Of sessions whose files were read before. */
export function refreshInput(describe: SessionDescriber): RefreshInput {
  return { describe, meter: { bytes: 0, opens: 0 }, grown: [], facts: new Map(), drafted: new DraftedSessions() };
}

/**
 * Assembles every stale session; sessions that only grew are updated incrementally. Returns how many sessions were
 * processed, and the rows written.
 */
export function refreshStale(store: IndexStore, input: RefreshInput): RefreshResult {
  const titles = loadTitles(store);
  const described = input.describe.withTitles(titles);
  const done = refreshGrown(store, input.grown, described);
  const seen = new Set<string>();
  for (const key of staleSessions(store)) {
    if (seen.has(key)) continue;
    // One at a time: what a family shares with other sessions is known only after it was assembled.
    const family = familiesOf(store, [key]).flat();
    for (const member of guarded(store, done, family, () => {
      if (writeAlone(store, family, titles, input, done)) return family;
      const loaded = loadFamily(store, family, true);
      writeFamily(store, loaded, described, input, done);
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
 * Like `refreshStale`, for sessions just read while others are still being read, and only for those without relatives.
 * A family waits until all of it is read; if a session read later turns out to be related, it is assembled again.
 */
export function refreshAlone(store: IndexStore, keys: Iterable<string>, input: RefreshInput): RefreshResult {
  const titles = loadTitles(store);
  const described = input.describe.withTitles(titles);
  const done = refreshGrown(store, input.grown, described);
  for (const family of familiesOf(store, keys)) {
    if (family.length > 1 || !isStale(store, family[0] ?? "")) continue;
    guarded(store, done, family, () => {
      if (writeAlone(store, family, titles, input, done)) return family;
      const loaded = loadFamily(store, family, true);
      if (loaded.members.size === 1) writeFamily(store, loaded, described, input, done);
      return loaded.members;
    });
  }
  return done;
}

/**
 * An error stays within its family: its sessions have no rows until they can be assembled, and the error is stored with
 * their files.
 */
function guarded(
  store: IndexStore,
  done: RefreshResult,
  family: readonly string[],
  work: () => Iterable<string>,
): Iterable<string> {
  try {
    return work();
  } catch (error) {
    if (!isLocal(error)) throw error;
    store.batched(() => {
      for (const key of family) {
        done.rows += dropSession(store, key);
        for (const file of filesOf(store, key)) recordProblem(store, leftOutDiagnostic(file, error), done);
      }
    });
    return family;
  }
}

/** The files stay stale: the next sync that changes anything tries them again. */
function recordProblem(store: IndexStore, problem: Diagnostic, done: RefreshResult): void {
  const { source, path } = problem;
  for (const { id = 0, problems } of store.all(
    "SELECT id, problems FROM file WHERE source = ? AND path = ?",
    source,
    path,
  )) {
    const others = (parseRow(problems) as Diagnostic[]).filter((one) => one.message !== problem.message);
    const listed = JSON.stringify([...others, problem]);
    store.run("UPDATE file SET stale = 1, alone = 0, problems = ? WHERE id = ?", listed, id);
  }
  done.failed.push(problem);
}

function withoutReadErrors(problems: SqlValue | undefined): string {
  return JSON.stringify((parseRow(problems) as Diagnostic[]).filter(({ code }) => code !== "file_unreadable"));
}

function filesOf(store: IndexStore, key: string): { source: string; path: string }[] {
  const { source, session_id } = parseSessionKey(key);
  const rows = store.all("SELECT path FROM file WHERE source = ? AND session_id = ? ORDER BY id", source, session_id);
  return rows.map(({ path }) => ({ source, path: String(path) }));
}

function refreshGrown(store: IndexStore, grown: Iterable<GrownFile>, describe: TitledDescriber): RefreshResult {
  const done: RefreshResult = { sessions: 0, rows: 0, failed: [] };
  for (const one of grown) {
    const rows = store.batched(() => {
      const written = writeGrown(store, one, describe);
      if (written !== null) store.run("UPDATE file SET stale = 0 WHERE id = ?", one.file);
      return written;
    });
    if (rows === null) continue;
    done.rows += rows;
    done.sessions++;
  }
  return done;
}

/** If the incremental update fails, the session is assembled as a whole, which shows whether that is possible. */
function writeGrown(store: IndexStore, grown: GrownFile, describe: TitledDescriber): number | null {
  try {
    return writeChanges(store, grown, describe);
  } catch (error) {
    if (!isLocal(error)) throw error;
    return null;
  }
}

/**
 * Marks a session's files as assembled. One statement per row: a statement that may write several rows makes SQLite
 * flush the words it is collecting for the text index, and small segments of words are merged again and again.
 */
function markAssembled(store: IndexStore, key: string, alone: number): void {
  const { source, session_id } = parseSessionKey(key);
  const files = store.all(
    "SELECT id, problems FROM file WHERE source = ? AND session_id = ? AND (stale = 1 OR alone <> ?)",
    source,
    session_id,
    alone,
  );
  for (const { id = 0, problems } of files) {
    store.run("UPDATE file SET stale = 0, alone = ? WHERE id = ?", alone, id);
    // Remove errors of earlier attempts.
    if (String(problems).includes('"file_unreadable"'))
      store.run("UPDATE file SET problems = ? WHERE id = ?", withoutReadErrors(problems), id);
  }
}

/** Writes the rows that the thread made which read the session's only file. Returns whether they hold. */
function writeAlone(
  store: IndexStore,
  [key = "", ...others]: readonly string[],
  titles: Titles,
  { drafted, facts }: RefreshInput,
  done: RefreshResult,
): boolean {
  const found = drafted.take(key);
  if (!found || others.length > 0) return false;
  const { source, session_id } = parseSessionKey(key);
  const files = store.all("SELECT page FROM file WHERE source = ? AND session_id = ?", source, session_id);
  const [file] = files;
  if (!file || files.length > 1) return false;
  return store.batched(() => {
    if (!writeDrafted(store, key, found, titles.get(session_id) ?? null)) return false;
    markAssembled(store, key, 1);
    const early = found.isOfOneFile ? facts.get(join(store.home, String(file["page"]))) : undefined;
    if (early) putFacts(store, key, early);
    done.sessions++;
    done.rows += found.rows;
    return true;
  });
}

function writeFamily(
  store: IndexStore,
  { members, drafts }: ReturnType<typeof loadFamily>,
  describe: TitledDescriber,
  { meter, facts }: RefreshInput,
  done: RefreshResult,
): void {
  const assembly = assemble([...drafts.keys()], bookLoader(drafts, meter));
  const { sessions, byKey, sharing, diagnostics } = assembly;
  done.sessions += members.size;
  done.rows += store.batched(() => {
    let written = 0;
    for (const key of members) {
      const session = byKey.get(key);
      if (!session) written += dropSession(store, key);
      markAssembled(store, key, Number(members.size === 1 || (session !== undefined && growsAlone(session, assembly))));
    }
    for (const session of sessions) {
      written += writeSession(store, session, describe);
      const found = isOfOneFile(session) ? facts.get(session.parts[0]?.page ?? "") : undefined;
      if (found) putFacts(store, sessionKey(session), found);
    }
    for (const problem of diagnostics) if (problem.code === "file_unreadable") recordProblem(store, problem, done);
    // Only one of the two sessions has the usage row: without a link the other would not be refreshed when that one
    // changes.
    for (const [a, b] of sharing) linkSessions(store, sessionKey(a), sessionKey(b));
    return written;
  });
}
