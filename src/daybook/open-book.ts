import { existsSync } from "node:fs";
import { join } from "node:path";
import { DaybookError } from "../errors.ts";
import type { Describe } from "../store/tables/describe.ts";
import { assembleAll, assembleSome } from "../store/sync/drafts.ts";
import { loadNotes } from "../store/tables/source-notes.ts";
import { hasChanges, knownFiles, type KnownFiles } from "../store/sync/changed-files.ts";
import { IndexQueries, problemsIn, scopeOf } from "../store/tables/queries.ts";
import { DamagedIndex } from "../store/tables/damaged-index.ts";
import { IndexStore } from "../store/tables/index-store.ts";
import { sync, type SyncDemand, type SyncReport } from "../store/sync/sync.ts";
import { isElsewhere } from "../io/named-path.ts";
import { DiskFullError, UnwritableError } from "../io/disk.ts";
import { isUnfinished } from "../store/tables/seal.ts";
import { LockedError } from "../format/write-lock.ts";
import { openSources, type OpenedSources, type OpenOptions } from "../reading/library.ts";
import type { Progress } from "../reading/pool.ts";
import type { Diagnostic } from "../sources/contract.ts";
import type { Assembly } from "../turns/assemble.ts";

export interface BookOptions extends OpenOptions {
  noSync?: boolean;
  onProgress?: Progress;
  onNote?: (text: string) => void;
}

/** What keeps a sync from being done, and no question from being answered. */
export function isOnlyOlder(error: unknown): error is DaybookError {
  return error instanceof LockedError || error instanceof UnwritableError || error instanceof DiskFullError;
}

/** A book with its index, open for questions. */
export interface OpenBook {
  store: IndexStore;
  queries: IndexQueries;
  /** The sessions that are meant; null = all the index has. */
  scope: ReadonlySet<string> | null;
}

/** Where the book stands: found, brought up to date, opened and let go. */
export class BookAccess {
  readonly home: string;
  readonly unreadable: Diagnostic[] = [];
  readonly #options: BookOptions;
  readonly #describe: Describe;
  #book: OpenBook | null = null;
  /** What the index knew when it was asked where to look. */
  #known: KnownFiles | null = null;
  #isNoted = false;

  constructor(home: string, options: BookOptions, describe: Describe) {
    this.home = home;
    this.#options = options;
    this.#describe = describe;
  }

  /** Nothing was ever read into it. */
  get isNew(): boolean {
    return !existsSync(join(this.home, "book"));
  }

  /** What the book knows about where to look. Nothing before the first sync. */
  remembered(): Pick<OpenOptions, "worked_in" | "known" | "noted"> {
    const store = IndexStore.peek(this.home);
    if (!store) return {};
    try {
      const [known, noted] = [knownFiles(store), loadNotes(store)];
      this.#known = known;
      if (this.#options.roots !== undefined) return { known, noted };
      const dirs = store.all("SELECT DISTINCT cwd FROM session WHERE cwd IS NOT NULL ORDER BY cwd");
      return { known, noted, worked_in: dirs.map((row) => String(row["cwd"])).filter((dir) => !isElsewhere(dir)) };
    } catch {
      // Only a help: a damaged index is met, and mended, by the sync.
      return {};
    } finally {
      store.close();
    }
  }

  /** An index that was lost is made again before anyone looks at the agents' files: what the book knows tells how to look. */
  async restore(how: SyncDemand): Promise<SyncReport | null> {
    if (this.isNew || IndexStore.isUsable(this.home)) return null;
    return this.sync(openSources({ roots: {} }), how);
  }

  /** Reads what is new into the book and the index. */
  async sync(opened: OpenedSources, how: SyncDemand): Promise<SyncReport> {
    const { onProgress, onNote } = this.#options;
    const report = await sync(opened, { home: this.home, describe: this.#describe, onProgress, onNote, ...how });
    this.unreadable.push(...report.unreadable);
    return report;
  }

  /** Brings the index up to date by `refresh` first. Null when it cannot be opened. */
  async open(refresh: () => Promise<unknown>, opened: () => OpenedSources): Promise<OpenBook | null> {
    try {
      if (this.#options.noSync !== true) {
        if (this.#hasNews(opened)) await refresh();
      } else if (!IndexStore.isUsable(this.home)) await this.sync({ ...opened(), sources: [], refs: [] }, {});
    } catch (error) {
      this.#note(error);
    }
    const store = IndexStore.peek(this.home);
    if (!store) return null;
    if (store.isReadOnly) this.#note(new UnwritableError(this.home, null));
    if (this.#options.noSync === true && isUnfinished(this.home))
      this.#options.onNote?.("the book is partial: a sync is under way or was cut short");
    const scope = scopeOf(store, opened(), this.#options.roots, this.#options.sources);
    this.#book = { store, scope, queries: new IndexQueries(store, scope) };
    return this.#book;
  }

  /** Why the answer may lack what is new, once. Whatever else went wrong is no reason to answer. */
  #note(error: unknown): void {
    if (!isOnlyOlder(error)) throw error;
    if (this.#isNoted) return;
    this.#isNoted = true;
    const why = error instanceof LockedError ? `the book is being written${error.by}` : error.message;
    this.#options.onNote?.(`${why}; answering from what was read before`);
  }

  /** Nothing to write, nothing to lock: most questions find everything as it was. */
  #hasNews(opened: () => OpenedSources): boolean {
    if (!IndexStore.isUsable(this.home)) return true;
    const found = opened();
    const store = this.#known && IndexStore.peek(this.home);
    if (!this.#known || !store) return true;
    try {
      return hasChanges(store, this.#known, found, this.#describe);
    } catch (error) {
      // It is met again, and mended, by the sync.
      if (error instanceof DamagedIndex) return true;
      throw error;
    } finally {
      store.close();
    }
  }

  /** Those named with all they depend on; null: every session. */
  assemble(keys: readonly string[] | null): Assembly {
    if (!this.#book) throw new DaybookError("the index is not open", { code: "internal", op: "read sessions" });
    const { store, scope } = this.#book;
    return keys === null ? assembleAll(store, scope) : assembleSome(store, keys, scope);
  }

  /** Lines of the files in the book that nobody could make sense of. */
  problems(opened: OpenedSources): Diagnostic[] {
    if (this.#book) return problemsIn(this.#book.store, this.#book.scope);
    const store = IndexStore.peek(this.home);
    if (!store) return [];
    try {
      return problemsIn(store, scopeOf(store, opened, this.#options.roots, this.#options.sources));
    } finally {
      store.close();
    }
  }

  close(): void {
    this.#book?.store.close();
    IndexStore.release(this.home);
    this.#book = null;
    this.#known = null;
    this.unreadable.length = 0;
  }
}
