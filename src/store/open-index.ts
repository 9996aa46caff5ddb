import type { Progress } from "../reading/pool.ts";
import type { Diagnostic } from "../sources/contract.ts";
import type { BookMarks } from "./marks/marks-file.ts";
import { assembleAll, assembleSome } from "./sync/drafts.ts";
import { bookTexts, type TextStore } from "./search/search.ts";
import type { RemoteDemand } from "./tables/remote-demand.ts";
import { remoteTexts, buildRemoteIndex, type RemoteRows } from "./tables/remote-rows.ts";
import { IndexStore } from "./tables/index-store.ts";
import { problemsIn } from "./tables/problems.ts";
import { IndexQueries } from "./tables/queries.ts";
import { scopeOf, type ChosenSources } from "./tables/scope.ts";

export interface IndexOptions {
  /** Null: all sessions are in scope. */
  chosen: ChosenSources | null;
  marks: BookMarks;
  /** Use less memory: for long-lived processes. */
  sparesMemory: boolean;
}

export interface RemoteIndexOptions extends Pick<IndexOptions, "marks"> {
  /** Only sessions of these sources are in scope; all when absent or empty. */
  sources: readonly string[] | undefined;
  about: RemoteDemand;
  progress: Progress | undefined;
}

/** The index of a book, open for queries, as of the moment it was opened. */
export class OpenIndex {
  readonly store: IndexStore;
  readonly queries: IndexQueries;
  /** The sessions in scope; null: all sessions of the index. */
  readonly scope: ReadonlySet<string> | null;
  /** Changes when another connection writes; null for an index of remote rows. */
  readonly #version: number | null;

  /** Null when there is no usable index. */
  static open(book: string, { chosen, marks, sparesMemory }: IndexOptions): OpenIndex | null {
    const store = IndexStore.openExisting(book);
    if (!store) return null;
    if (sparesMemory) store.spareMemory();
    // Read the version first, so that anything written meanwhile makes this index outdated.
    const version = store.version();
    return new OpenIndex(store, scopeOf(store, chosen), marks, version);
  }

  /** Builds a private index from remote rows. */
  static async ofRemote(rows: RemoteRows, { sources, marks, about, progress }: RemoteIndexOptions): Promise<OpenIndex> {
    const store = await buildRemoteIndex(rows, about, progress);
    const isAll = sources === undefined || sources.length === 0;
    const keys = store.all("SELECT key, source FROM session").filter(({ source }) => sources?.includes(String(source)));
    return new OpenIndex(store, isAll ? null : new Set(keys.map(({ key }) => String(key))), marks, null);
  }

  private constructor(store: IndexStore, scope: ReadonlySet<string> | null, marks: BookMarks, version: number | null) {
    this.store = store;
    this.scope = scope;
    this.#version = version;
    this.queries = new IndexQueries(store, scope, marks);
  }

  /** Another connection has written to the index since, or replaced its file. */
  get isOutdated(): boolean {
    return this.#version !== null && (!this.store.isInPlace() || this.store.version() !== this.#version);
  }

  /** Where a search gets its texts from. */
  texts(): TextStore {
    return this.#version === null ? remoteTexts(this.store) : bookTexts(this.store);
  }

  /** Lines that could not be parsed, and files whose sessions could not be assembled. */
  problems(): Diagnostic[] {
    return problemsIn(this.store, this.scope);
  }

  /** The same in the files of some sessions. */
  problemsOf(keys: ReadonlySet<string>): Diagnostic[] {
    return problemsIn(this.store, keys);
  }

  /** Assembles the named sessions with all they depend on; null: every session. */
  assemble(keys: readonly string[] | null): ReturnType<typeof assembleAll> {
    return keys === null ? assembleAll(this.store, this.scope) : assembleSome(this.store, keys, this.scope);
  }

  close(): void {
    this.store.close();
  }
}
