import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import { addTo } from "../../base/maps.ts";
import { forgetDayReviews } from "../day-reviews/day-reviews.ts";
import { forgetMarks } from "../marks/marks-file.ts";
import { removePage } from "../../book/pages/page.ts";
import { PageList } from "../../book/pages/page-list.ts";
import { addForgotten, fileHash, Forgotten } from "../../book/pages/forgotten.ts";
import { forgetVectors } from "../search/vectors/vector-file.ts";
import { dropUnusedInstructions } from "../search/instructions.ts";
import { SessionDescriber, type Naming } from "../tables/describe.ts";
import { dropFile, markStale } from "../tables/file-rows.ts";
import { IndexStore, type StoredFile } from "../tables/index-store.ts";
import { markSyncStarted, markSyncFinished } from "../tables/seal.ts";
import { forgetTitles } from "../tables/titles.ts";
import { refreshInput, refreshStale } from "./refresh.ts";
import { lockHome } from "./sync-lock.ts";
import { scrubSegments } from "../words/write-segments.ts";
import { keyOfSession, parseSessionKey } from "../../record/session-key.ts";

export interface ForgetOptions {
  home: string;
  naming: Naming;
  /** How long to wait for another Daybook that is writing, in ms. */
  patience: number;
  /** ISO time, stored with the ids. */
  now: string;
}

/**
 * Removes sessions from the book for good: the only operation that deletes from it. First their ids are written to a
 * list, which decides it; if the process ends after that, the next sync completes the removal.
 */
export async function forgetSessions(keys: readonly string[], options: ForgetOptions): Promise<void> {
  const { home } = options;
  const lock = await lockHome(home, options.patience);
  const store = IndexStore.openExisting(home);
  try {
    if (!store) throw new DaybookError("the index cannot be opened", { code: "unreadable", op: "forget", path: home });
    store.beat = () => lock.beat();
    const wanted = new Set(keys);
    const names = new Map<string, string[]>();
    for (const { ref, session_id } of store.files()) {
      const key = keyOfSession(ref.source, session_id);
      if (wanted.has(key)) addTo(names, key, fileHash(ref));
    }
    markSyncStarted(home);
    addForgotten(
      home,
      [...names].map(([key, files]) => ({
        ...parseSessionKey(key),
        forgotten_at: options.now,
        files: [...new Set(files)],
      })),
    );
    purgeForgotten(store, new Forgotten(home));
    forgetVectors(home, wanted);
    refreshStale(store, refreshInput(new SessionDescriber(options.naming)));
    store.commit();
    store.settle();
    markSyncFinished(home);
  } finally {
    store?.close();
    lock.release();
  }
}

/** Lets the session's files be read again. */
export async function allowSession(
  { source, session_id }: { source: string; session_id: string },
  { home, patience, now }: Omit<ForgetOptions, "naming">,
): Promise<void> {
  const lock = await lockHome(home, patience);
  try {
    addForgotten(home, [{ source, session_id, allowed_at: now }]);
  } finally {
    lock.release();
  }
}

/** Deletes what is left of forgotten sessions, pages first. Returns the number of files. */
export function purgeForgotten(store: IndexStore, forgotten: Forgotten): number {
  if (forgotten.isEmpty) return 0;
  const files = store.files().filter((file) => isForgotten(file, forgotten));
  if (files.length === 0) return 0;
  for (const { page } of files) removePageFiles(join(store.home, page));
  new PageList(store.home).remove(new Set(files.map(({ page }) => page)));
  const ids = new Set(files.map(({ session_id }) => session_id));
  forgetTitles(store.home, ids);
  const keys = new Set(files.map(({ ref, session_id }) => keyOfSession(ref.source, session_id)));
  forgetMarks(store.home, keys);
  forgetDayReviews(store.home, keys);
  store.scrub(() => {
    for (const file of files) {
      const key = keyOfSession(file.ref.source, file.session_id);
      // Sessions that were assembled together with it must be assembled again without it.
      for (const { k } of store.all(RELATIVES, key, key)) {
        const { source, session_id } = parseSessionKey(String(k));
        markStale(store, source, session_id);
      }
      dropFile(store, file.id, key);
    }
    for (const id of ids) store.run("DELETE FROM title WHERE session_id = ?", id);
    store.run("DELETE FROM location WHERE id NOT IN (SELECT location FROM session WHERE location IS NOT NULL)");
    dropUnusedInstructions(store);
    scrubSegments(store);
  });
  return files.length;
}

const RELATIVES = `SELECT b AS k FROM link WHERE a = ?
  UNION SELECT o.session FROM identity i JOIN identity o ON o.identity = i.identity WHERE i.session = ? AND o.session <> i.session`;

function isForgotten({ ref, session_id }: StoredFile, forgotten: Forgotten): boolean {
  return forgotten.has(ref.source, session_id) || forgotten.hasFile(ref);
}

/** Removes the page and everything stored beside it: the ledger first, without which it is no page. */
export function removePageFiles(base: string): void {
  removePage(base);
  const name = basename(base);
  for (const other of listFiles(dirname(base)))
    // Later generations of the file have pages of their own.
    if (other.startsWith(`${name}.`) && !/^\.g\d/.test(other.slice(name.length)))
      rmSync(join(dirname(base), other), { force: true });
}

function listFiles(dir: string): string[] {
  return statSync(dir, { throwIfNoEntry: false }) ? readdirSync(dir) : [];
}
