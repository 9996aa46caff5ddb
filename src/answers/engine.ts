import { PriceTable } from "../views/pricing/price-table.ts";
import { FileTimeCache } from "../book/reading/file-times.ts";
import { SYNC_PROGRAM } from "../places.ts";
import { Redactor } from "../base/redact/redact.ts";
import type { ReadDemand } from "../index/sync/reading-order.ts";
import { Vectors } from "../index/search/vectors/vectors.ts";
import { SyncProcess } from "../index/sync/sync-process.ts";
import type { RemoteDemand, RemoteList } from "../index/tables/remote-demand.ts";
import { parseRange } from "../base/time/range.ts";
import { Zone } from "../base/time/zone.ts";
import { AnswerContext } from "./answer-context.ts";
import { CurrentSnapshot } from "./current-snapshot.ts";
import { ReadNeeds } from "./need.ts";
import { notInStoreError } from "./not-in-store.ts";
import type { DaybookOptions, Query } from "./questions.ts";
import type { Snapshot, SnapshotOptions } from "./snapshot.ts";

/** What must have been read, or fetched from a team store, before a question is asked. */
export interface Demand {
  /** Of a team store, or of files that are in no book; everything when absent. */
  store?: RemoteDemand | undefined;
  /** Of the agents' files, if too much is new to read it all. */
  files?: ReadDemand | undefined;
  /** Answer from the files alone, without an index: for sums that need no sessions. */
  isOfFiles?: boolean | undefined;
}

/**
 * What a Daybook runs on: where everything is, and the snapshot that questions are answered from. Every question is
 * answered from one consistent snapshot, even while a sync writes.
 */
export class Engine {
  readonly zone: Zone;
  readonly redactor: Redactor;
  readonly options: SnapshotOptions;
  readonly needs: ReadNeeds;
  readonly current: CurrentSnapshot;
  readonly #prices = new PriceTable();
  #vectors: Vectors | null = null;
  #syncs: SyncProcess | null = null;

  constructor(options: DaybookOptions) {
    // Created lazily: a process that answers a single question never needs it.
    const syncs = (): SyncProcess | null => SYNC_PROGRAM && (this.#syncs ??= new SyncProcess(SYNC_PROGRAM));
    this.options = { ...options, dayOf: (time) => this.zone.day(time), times: new FileTimeCache(), syncs };
    this.redactor = options.redactor ?? new Redactor();
    this.zone = options.timezone === undefined ? Zone.here() : new Zone(options.timezone);
    this.needs = new ReadNeeds(this.options, this.zone, () => this.snapshot.opened());
    this.current = new CurrentSnapshot(this.options, this.needs.much);
  }

  /** The time questions are asked at. */
  get now(): number {
    const { now = Date.now } = this.options;
    return typeof now === "number" ? now : now();
  }

  /** The vectors of the book's turns; null where no model or no book is named. */
  get vectors(): Vectors | null {
    const { book, embeddings, env = process.env } = this.options;
    if (book === undefined || embeddings === undefined || this.isOfStore) return null;
    return (this.#vectors ??= new Vectors(book, embeddings, env));
  }

  get snapshot(): Snapshot {
    return this.current.snapshot;
  }

  /** Answers come from a team store that was pushed to: whatever was not pushed cannot be answered. */
  get isOfStore(): boolean {
    return this.options.remote !== undefined;
  }

  async ask<T>(answer: (ctx: AnswerContext) => Promise<T>, demand: Demand = {}): Promise<T> {
    const { store = {}, files, isOfFiles = false } = demand;
    const { remote } = this.options;
    const asked = (snapshot: Snapshot): Promise<T> => answer(this.contextFor(snapshot));
    if (isOfFiles) return this.current.askFiles(asked);
    // Texts are fetched for one question alone.
    if (remote && store.words !== undefined) return this.current.askForWords(remote, store, asked);
    return this.current.ask(asked, files, store);
  }

  contextFor(snapshot: Snapshot): AnswerContext {
    const { zone, now, redactor, options, vectors } = this;
    return new AnswerContext(snapshot, { zone, now, redactor, prices: this.#prices, options, vectors });
  }

  /** The demand of a question about lists limited to the days of a query. */
  inDays(lists: readonly RemoteList[], query: Pick<Query, "since" | "until">): Demand {
    return { store: { lists, range: this.isOfStore ? parseRange(query, this.zone, this.now) : undefined } };
  }

  /** For questions whose answer from a store would be misleading. */
  refuseStore(what: string): void {
    if (this.isOfStore) throw notInStoreError(what);
  }

  /** Closes the index. The next question opens it again, after looking for changed files. */
  close(): void {
    this.current.close();
    this.#vectors?.close();
    this.#syncs?.close();
  }
}
