import type { OpenedSources } from "../reading/library.ts";
import type { Progress } from "../reading/pool.ts";
import type { Diagnostic } from "../sources/contract.ts";
import type { BookMarks } from "./marks/marks-file.ts";
import { assembleAll, assembleSome } from "./sync/drafts.ts";
import { bookTexts, type FoundTexts } from "./search/search.ts";
import type { GivenDemand } from "./tables/given-demand.ts";
import { givenTexts, indexOfGiven, type GivenRows } from "./tables/given-rows.ts";
import { IndexStore } from "./tables/index-store.ts";
import { problemsIn } from "./tables/problems.ts";
import { IndexQueries } from "./tables/queries.ts";
import { scopeOf } from "./tables/scope.ts";

export interface IndexChoice {
  /** What the user named: sessions of other places and agents are not meant. */
  roots: Readonly<Record<string, readonly string[]>> | undefined;
  sources: readonly string[] | undefined;
  /** The agents' files; asked for only where something was named. */
  opened: () => OpenedSources;
  marks: BookMarks;
  /** For a process that lives long. */
  sparesMemory: boolean;
}

export interface GivenChoice extends Pick<IndexChoice, "sources" | "marks"> {
  about: GivenDemand;
  progress: Progress | undefined;
}

/** The index of a book, open for questions, as it was when it was opened. */
export class OpenIndex {
  readonly store: IndexStore;
  readonly queries: IndexQueries;
  /** The sessions that are meant; null = all the index has. */
  readonly scope: ReadonlySet<string> | null;
  /** Another writer changes it; null where it has none. */
  readonly #version: number | null;

  /** Null when there is none that can be used. */
  static open(book: string, { roots, sources, opened, marks, sparesMemory }: IndexChoice): OpenIndex | null {
    const store = IndexStore.peek(book);
    if (!store) return null;
    if (sparesMemory) store.spareMemory();
    // Before anything is read of it: what is written meanwhile makes it outdated.
    const version = store.version();
    return new OpenIndex(store, scopeOf(store, opened, roots, sources), marks, version);
  }

  /** Made of answers that were given; nobody else knows of it. */
  static async given(rows: GivenRows, { sources, marks, about, progress }: GivenChoice): Promise<OpenIndex> {
    const store = await indexOfGiven(rows, about, progress);
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

  /** Another has written to it since, or put another in its place. */
  get isOutdated(): boolean {
    return this.#version !== null && (!this.store.isInPlace() || this.store.version() !== this.#version);
  }

  /** Where a search finds texts. */
  texts(): FoundTexts {
    return this.#version === null ? givenTexts(this.store) : bookTexts(this.store);
  }

  /** Lines of files that nobody could make sense of, and files whose sessions could not be put together. */
  problems(): Diagnostic[] {
    return problemsIn(this.store, this.scope);
  }

  /** The sessions named with all they depend on; null: every session. */
  assemble(keys: readonly string[] | null): ReturnType<typeof assembleAll> {
    return keys === null ? assembleAll(this.store, this.scope) : assembleSome(this.store, keys, this.scope);
  }

  close(): void {
    this.store.close();
  }
}
