import type { Recording } from "../views/recorded.ts";
import type { SessionView } from "../views/session-view.ts";
import type { ToolView } from "../views/tool-view.ts";
import type { Progress } from "../book/reading/pool.ts";
import type { Diagnostic } from "../agents/contract.ts";
import type { Assembly } from "../turns/assemble.ts";
import type { BookMarks } from "./marks/marks-file.ts";
import { BookOrigin } from "./book-origin.ts";
import { FileOrigin, type FileOriginOptions } from "./file-origin.ts";
import type { IndexOrigin } from "./origin.ts";
import type { TextStore } from "./search/search.ts";
import type { RemoteDemand } from "./tables/remote-demand.ts";
import { remoteOrigin, buildRemoteIndex, type RemoteRows } from "./tables/remote-rows.ts";
import { IndexStore } from "./tables/index-store.ts";
import { problemsIn } from "./tables/health-rows.ts";
import { IndexQueries } from "./tables/queries.ts";
import { scopeOf, type ChosenSources } from "./tables/scope.ts";

export interface IndexOptions {
  /** Null: all sessions are in scope. */
  chosen: ChosenSources | null;
  marks: BookMarks;
  /** Use less memory: for long-lived processes. */
  sparesMemory: boolean;
}

export interface FileIndexOptions extends Pick<IndexOptions, "marks">, FileOriginOptions {}

export interface RemoteIndexOptions extends Pick<IndexOptions, "marks"> {
  /** Only sessions of these sources are in scope; all when absent or empty. */
  sources: readonly string[] | undefined;
  about: RemoteDemand;
  progress: Progress | undefined;
}

/**
 * An index open for queries, as of the moment it was opened: all answers are made from one. It is that of the book, or
 * a private one in memory, of sessions in files or of rows from a team store.
 */
export class OpenIndex {
  readonly store: IndexStore;
  readonly queries: IndexQueries;
  /** The sessions in scope; null: all sessions of the index. */
  readonly scope: ReadonlySet<string> | null;
  readonly #origin: IndexOrigin;
  /** Changes when another connection writes; null for a private index. */
  readonly #version: number | null;

  /** Null when there is no usable index. */
  static open(book: string, { chosen, marks, sparesMemory }: IndexOptions): OpenIndex | null {
    const store = IndexStore.openExisting(book);
    if (!store) return null;
    if (sparesMemory) store.spareMemory();
    // Read the version first, so that anything written meanwhile makes this index outdated.
    const version = store.version();
    return new OpenIndex(store, new BookOrigin(store), scopeOf(store, chosen), marks, version);
  }

  /** Builds a private index of sessions that were read from their files. */
  static ofFiles(read: Assembly, { marks, ...options }: FileIndexOptions): OpenIndex {
    const origin = new FileOrigin(read, options);
    return new OpenIndex(origin.store, origin, null, marks, null);
  }

  /** Builds a private index from remote rows. */
  static async ofRemote(rows: RemoteRows, { sources, marks, about, progress }: RemoteIndexOptions): Promise<OpenIndex> {
    const store = await buildRemoteIndex(rows, about, progress);
    const isAll = sources === undefined || sources.length === 0;
    const keys = store.all("SELECT key, source FROM session").filter(({ source }) => sources?.includes(String(source)));
    const scope = isAll ? null : new Set(keys.map(({ key }) => String(key)));
    return new OpenIndex(store, remoteOrigin(store), scope, marks, null);
  }

  private constructor(
    store: IndexStore,
    origin: IndexOrigin,
    scope: ReadonlySet<string> | null,
    marks: BookMarks,
    version: number | null,
  ) {
    this.store = store;
    this.#origin = origin;
    this.scope = scope;
    this.#version = version;
    this.queries = new IndexQueries(store, scope, marks);
  }

  /** The index of a book. */
  get isOfBook(): boolean {
    return this.#version !== null;
  }

  /** Another connection has written to the index since, or replaced its file. */
  get isOutdated(): boolean {
    return this.#version !== null && (!this.store.isInPlace() || this.store.version() !== this.#version);
  }

  /** Writes the rows that a question needs, where rows are written only when they are needed. */
  fill(about: RemoteDemand): void {
    this.#origin.fill?.(about);
  }

  /** Where a search gets its texts from. */
  texts(): TextStore {
    return this.#origin.texts();
  }

  /** Gives access to a session's records; null when they are not available. */
  recordedSession(session: SessionView): Recording | null {
    return this.#origin.recordedSession(session);
  }

  /** What calls of one session printed. */
  outputs(calls: readonly ToolView[]): ReturnType<IndexOrigin["outputs"]> {
    return this.#origin.outputs(calls);
  }

  /** Lines that could not be parsed, and files whose sessions could not be assembled. */
  problems(): Diagnostic[] {
    return problemsIn(this.store, this.scope);
  }

  /** The same in the files of some sessions. */
  problemsOf(keys: ReadonlySet<string>): Diagnostic[] {
    return problemsIn(this.store, keys);
  }

  /** Assembles the named sessions with all they depend on, and perhaps others; null: every session. */
  assemble(keys: readonly string[] | null): Assembly {
    return this.#origin.assemble(keys, this.scope);
  }

  close(): void {
    this.store.close();
  }
}
