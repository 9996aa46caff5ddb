import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, type DaybookError } from "../base/errors.ts";
import { LockedError } from "../record/write-lock.ts";
import { DiskFullError, UnwritableError } from "../base/io/disk.ts";
import { ChangeFeed, type WatchedChange } from "../index/tables/changes.ts";
import { ONLY_SESSIONS, type RemoteDemand } from "../index/tables/remote-demand.ts";
import { IndexStore } from "../index/tables/index-store.ts";
import { isUnfinished } from "../index/tables/seal.ts";
import type { ReadDemand } from "../index/sync/reading-order.ts";
import type { SyncDemand, SyncReport } from "../index/sync/sync.ts";
import { type Changes, changesBetween, FilesSeen, RecentFiles, waitForNextCheck, type WatchOptions } from "./watch.ts";
import type { DaybookOptions } from "./questions.ts";
import { Snapshot, type SnapshotOptions } from "./snapshot.ts";
import { keyOfSession } from "../record/session-key.ts";

type RemoteSource = NonNullable<DaybookOptions["remote"]>;

/**
 * What answers are based on: the current state, an older one, or nothing yet because everything has to be read first.
 */
export type Freshness = "fresh" | "older" | "none";

/** After fetching everything from a team store, it is left alone for this many times as long as that took. */
const RESTS = 4;

/** In ms. A sync of few bytes is waited for this long: only on a machine that is busy with other things it takes so long. */
const LITTLE_WAIT = 8000;

/** How often to check whether a starting sync has created the index, in ms. */
const INDEX_SOON = 50;

/** In bytes. More than this is read in another process instead of while somebody waits. */
const SOME = 16_000_000;

/**
 * The one rule of freshness, in ms: an answer contains everything that was on disk two seconds before its question. The
 * files are looked at again a little earlier than that, because the look itself takes time.
 */
const FRESH = 1500;

/**
 * Holds the snapshot that questions are answered from. A question enters the current snapshot; a sync builds the next
 * one and replaces it, so questions asked meanwhile are answered from the previous state.
 */
export class CurrentSnapshot {
  readonly #options: SnapshotOptions;
  /** More new bytes than this are not waited for. */
  readonly #much: number;
  #snapshot: Snapshot;
  /** The sync started last: syncs run one at a time. */
  #syncing: Promise<unknown> | null = null;
  #isNoted = false;
  /** When the last look at the files began after which everything it found is in the current snapshot. */
  #lookedAt = -Infinity;
  /** When the sync that is running began. */
  #syncBegan = -Infinity;
  /** Whether the sync that is running has little to read. */
  #isLittle = false;
  readonly #seen = new FilesSeen();
  #state = 0;

  constructor(options: SnapshotOptions, much: number) {
    this.#options = options;
    this.#much = much;
    this.#snapshot = new Snapshot(options);
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Whether a sync of this instance is running. */
  get isSyncing(): boolean {
    return this.#syncing !== null;
  }

  /** Differs from before when an answer may: files changed, whoever has read them, or were read. */
  get state(): number {
    return this.#state;
  }

  /** Whether there are sessions, but all or many of them are not in the book yet. */
  get isBookIncomplete(): boolean {
    return this.#options.noSync !== true && !this.#isNoted && this.#snapshot.hasUnreadBytes(this.#much);
  }

  /** Reads what is new into the book and the index. */
  async sync(how: SyncDemand): Promise<SyncReport> {
    return this.oneAtATime(async () => {
      const began = performance.now();
      const next = this.#next();
      const report = await next.sync(how);
      this.#moveTo(next);
      // A stopped sync leaves files unread.
      if (report.files_left === 0) this.#lookedAt = began;
      return report;
    });
  }

  /**
   * Brings the snapshot up to date. A sync is waited for until it has taken `most` ms; one that takes longer continues
   * in another process, and questions asked meanwhile are answered at once from what was read before.
   */
  async freshen(most: number, signal: AbortSignal | undefined): Promise<Freshness> {
    const { book, remote } = this.#options;
    // A team store is polled by `watch`.
    if (remote) return "fresh";
    const due = performance.now() - FRESH;
    // A sync that began before may have missed what was written since: then the files are looked at once more.
    while (this.#lookedAt < due) {
      const working = this.#syncing ?? this.#syncChanges(signal);
      if (working === null) break;
      const longest = this.#isLittle ? Math.max(most, LITTLE_WAIT) : most;
      const left = this.#syncBegan + longest - performance.now();
      if (left <= 0 || !(await this.#doneWithin(working, left)))
        return book !== undefined && IndexStore.isUsable(book) ? "older" : "none";
    }
    return "fresh";
  }

  async #doneWithin(work: Promise<unknown>, most: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => void (timer = setTimeout(() => resolve(false), most)));
    const done = work.then(
      () => true,
      (error: unknown) => {
        this.#note(error);
        return false;
      },
    );
    return Promise.race([done, late]).finally(() => clearTimeout(timer));
  }

  /** Starts a sync if there is something to read, otherwise returns null. */
  #syncChanges(signal: AbortSignal | undefined): Promise<unknown> | null {
    const began = performance.now();
    const { inBackground = false } = this.#options;
    const here = new Snapshot({ ...this.#options, inBackground });
    const isChanged = here.hasChanges();
    if (this.#seen.hasChanged(here.opened())) {
      this.#seen.remember(here.opened());
      this.#state++;
    }
    if (!isChanged) {
      this.#lookedAt = began;
      return null;
    }
    const isLittle = !here.hasUnreadBytes(SOME);
    const isAside = inBackground || isLittle;
    const next = isAside ? here : new Snapshot({ ...this.#options, inBackground: true });
    return this.oneAtATime(async () => {
      this.#isLittle = isLittle;
      try {
        await next.sync({ signal });
      } finally {
        this.#isLittle = false;
      }
      this.#moveTo(next);
      this.#lookedAt = began;
    });
  }

  /**
   * Called before a question of a long-lived program: if the last look at the files is too old and something changed
   * since, the question gets a new snapshot, which reads it.
   */
  #lookIfDue(): void {
    const { noSync, lookOnce, remote } = this.#options;
    if (noSync === true || lookOnce === true || remote || this.#syncing !== null) return;
    // The first question looks for itself.
    if (this.#snapshot.opening === null) return;
    const began = performance.now();
    if (this.#lookedAt >= began - FRESH) return;
    const next = new Snapshot(this.#options);
    if (next.differsFrom(this.#snapshot)) {
      this.#snapshot.retire();
      this.#snapshot = next;
    } else this.#lookedAt = began;
  }

  /**
   * Looks for changed files, reads them, and yields which sessions changed, including those read by another process.
   */
  async *watch(options: WatchOptions): AsyncGenerator<Changes, void, undefined> {
    const { patience, full, signal } = options;
    if (signal?.aborted === true) return;
    const { remote } = this.#options;
    if (remote) {
      yield* this.#watchRemote(remote, options);
      return;
    }
    const [seen, lively] = [new FilesSeen(), new RecentFiles()];
    const feed = new ChangeFeed(this.#snapshot.openIndex()?.store ?? null);
    do {
      const isQuiet = options.all !== undefined && lively.isQuiet(Date.now(), options.all);
      const sync = isQuiet ? null : await this.#syncIfChanged(seen, lively, { patience, full });
      if (this.#snapshot.isOutdated) this.#moveTo(new Snapshot(this.#options));
      const index = this.#snapshot.openIndex();
      const sessions = index === null ? [] : feed.take(index.store).filter((one) => isIn(index.scope, one));
      if (sync || sessions.length > 0) yield { sync, sessions };
    } while (await waitForNextCheck(options));
  }

  /**
   * Polls the state of the team store, and fetches everything again when it changed. If the store is unreachable,
   * answers stay as they were.
   */
  async *#watchRemote(remote: RemoteSource, options: WatchOptions): AsyncGenerator<Changes, void, undefined> {
    const { every = 1000, all = every } = options;
    let isNoted = false;
    let took = 0;
    let before = await this.#digests();
    // A long push changes the store all the time: leave the store alone for most of that time.
    while (await waitForNextCheck({ ...options, every: Math.max(all, took * RESTS) })) {
      try {
        const begun = performance.now();
        await this.#refetchRemote(remote);
        took = performance.now() - begun;
        isNoted = false;
      } catch (error) {
        if (!isNoted) this.#options.onNote?.(`${messageOf(error)}; answering from what was read before`);
        isNoted = true;
        continue;
      }
      if (this.#snapshot.remoteState === before.state) continue;
      const after = await this.#digests();
      yield { sync: null, sessions: changesBetween(before.sessions, after.sessions) };
      before = after;
    }
  }

  async #digests(): Promise<{ state: string | null; sessions: ReadonlyMap<string, string> }> {
    return this.ask(async ({ remoteState, index }) => ({
      state: remoteState,
      sessions: index?.queries.digests() ?? new Map<string, string>(),
    }));
  }

  async #refetchRemote(remote: RemoteSource): Promise<void> {
    const state = await remote((rows) => rows.state(), { onlyState: true });
    if (this.#snapshot.remoteState === state) return;
    await this.oneAtATime(async () => {
      // Another caller may have fetched this state while we waited.
      if (this.#snapshot.remoteState === state) return;
      const next = new Snapshot(this.#options);
      await (next.opening = next.fetchRemote(remote));
      this.#moveTo(next);
    });
  }

  /**
   * Searches texts in a team store, in a snapshot of its own: the store has far more texts than other questions
   * fetch. If this is the first question, its snapshot becomes the current one, with the sessions only.
   */
  async askForWords<T>(
    remote: RemoteSource,
    about: Pick<RemoteDemand, "words" | "range">,
    answer: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    const isFirst = this.#snapshot.isUntouched;
    const snapshot = isFirst ? this.#snapshot : new Snapshot(this.#options);
    snapshot.enter();
    try {
      snapshot.opening = snapshot.fetchRemote(remote, { ...ONLY_SESSIONS, ...about });
      await snapshot.opening.catch((error: unknown) => {
        snapshot.opening = null;
        throw error;
      });
      snapshot.beginReading();
      return await answer(snapshot);
    } finally {
      snapshot.leave();
      if (!isFirst) snapshot.retire();
    }
  }

  async #syncIfChanged(seen: FilesSeen, lively: RecentFiles, how: SyncDemand): Promise<SyncReport | null> {
    const next = this.#next();
    const began = performance.now();
    // Remembered before the files are read: whatever is written meanwhile counts as a change next time.
    lively.remember(next.opened(), Date.now());
    if (!seen.hasChanged(next.opened())) {
      this.#lookedAt = began;
      return null;
    }
    try {
      const report = await this.oneAtATime(() => next.sync(how));
      seen.remember(next.opened());
      this.#moveTo(next);
      this.#lookedAt = began;
      return report;
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      this.#options.onNote?.(`the book is being written${error.by}; retrying`);
      return null;
    }
  }

  /** Runs syncs one at a time: a second one would find the book locked by the first. */
  async oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#syncing;
    const begin = (): Promise<T> => {
      this.#syncBegan = performance.now();
      return work();
    };
    const mine = (before ?? Promise.resolve()).then(begin, begin);
    if (before === null) this.#syncBegan = performance.now();
    this.#syncing = mine;
    try {
      return await mine;
    } finally {
      if (this.#syncing === mine) this.#syncing = null;
    }
  }

  /**
   * Answers from one snapshot: whatever is written meanwhile is for the next question. `need`: the files that must
   * have been read if too much is new to read it all. `about`: what it needs of an index that is not the book's.
   */
  async ask<T>(answer: (snapshot: Snapshot) => Promise<T>, need?: ReadDemand, about: RemoteDemand = {}): Promise<T> {
    const wanted = this.#options.givenWhole === true ? {} : about;
    this.#lookIfDue();
    if (this.#snapshot.isDamaged || !this.#snapshot.hasFetched(wanted)) this.close();
    else if (this.#snapshot.unreadFiles && (this.#snapshot.isOutdated || !this.#snapshot.covers(need)))
      this.#lookAgain();
    else if (this.#snapshot.isOutdated) this.#moveTo(new Snapshot(this.#options));
    const snapshot = this.#snapshot;
    snapshot.enter();
    try {
      await this.#opened(snapshot, need, wanted);
      // Another question may have opened this snapshot meanwhile, with a smaller need.
      if (!snapshot.covers(need)) return await this.ask(answer, need, about);
      snapshot.fill(wanted);
      snapshot.beginReading();
      return await answer(snapshot);
    } finally {
      snapshot.leave();
    }
  }

  /** Answers from the files alone, without an index: for sums that need no sessions. */
  async askFiles<T>(answer: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    this.#lookIfDue();
    const snapshot = this.#snapshot;
    snapshot.enter();
    try {
      return await answer(snapshot);
    } finally {
      snapshot.leave();
    }
  }

  /** Closes the index. The next question opens it again, after looking for changed files. */
  close(): void {
    this.#lookAgain();
    if (this.#options.book !== undefined) IndexStore.release(this.#options.book);
  }

  #next(): Snapshot {
    return this.#snapshot.isUntouched ? this.#snapshot : new Snapshot(this.#options);
  }

  #moveTo(next: Snapshot): void {
    const before = this.#snapshot;
    if (next === before) return;
    // Views of sessions already handed out still need the names from the index.
    if (before.index) next.openIndex();
    this.#snapshot = next;
    this.#state++;
    before.retire();
  }

  #lookAgain(): void {
    this.#snapshot.retire();
    this.#snapshot = new Snapshot(this.#options);
  }

  async #opened(snapshot: Snapshot, need: ReadDemand | undefined, about: RemoteDemand): Promise<void> {
    try {
      await (snapshot.opening ??= this.#bringUpToDate(snapshot, need, about));
    } catch (error) {
      // The next question tries again.
      snapshot.opening = null;
      throw error;
    }
  }

  async #bringUpToDate(snapshot: Snapshot, need: ReadDemand | undefined, about: RemoteDemand): Promise<void> {
    const { remote } = this.#options;
    if (remote) return snapshot.fetchRemote(remote, about);
    let isRefused = false;
    const began = performance.now();
    try {
      if (this.#options.noSync === true) await this.#ensureIndex(snapshot);
      // A sync of ours that is running will bring the next state; do not wait for it.
      else if (this.#syncing === null) {
        if (snapshot.hasChanges())
          await this.oneAtATime(() => this.#stoppable((signal) => snapshot.sync({ need, signal })));
        this.#lookedAt = began;
      }
    } catch (error) {
      this.#note(error);
      isRefused = true;
    }
    const index = snapshot.openIndex();
    // Where the book could not be written, there may be no room for any file.
    if (index === null) await snapshot.openFiles({ inMemory: isRefused });
    if (index && isRefused) snapshot.leaveUnread(need, index.store);
    if (index?.store.isReadOnly === true) this.#note(new UnwritableError(index.store.home, null));
    if (index && this.#options.noSync === true && isUnfinished(index.store.home))
      this.#options.onNote?.("the book is incomplete: a sync is running or was interrupted");
  }

  /**
   * If there is no index: wait for a running sync of ours to make it, otherwise rebuild it from the book. Doing both
   * would lock each other out.
   */
  async #ensureIndex(snapshot: Snapshot): Promise<void> {
    const { book } = this.#options;
    const isThere = (): boolean => book === undefined || IndexStore.isUsable(book);
    while (this.#syncing !== null && !isThere()) await sleep(INDEX_SOON);
    if (!isThere()) await this.oneAtATime(() => snapshot.rebuildIndex());
  }

  async #stoppable<T>(work: (signal?: AbortSignal) => Promise<T>): Promise<T> {
    const { stoppable } = this.#options;
    return stoppable ? stoppable(work) : work();
  }

  /** Notes once why the answer may not include what is new. Any other error is thrown. */
  #note(error: unknown): void {
    if (!blocksOnlySync(error)) throw error;
    if (this.#isNoted) return;
    this.#isNoted = true;
    const why = error instanceof LockedError ? `the book is being written${error.by}` : error.message;
    this.#options.onNote?.(`${why}; answering from what was read before`);
  }
}

/** Errors that prevent a sync, but not an answer from what was read before. */
export function blocksOnlySync(error: unknown): error is DaybookError {
  return error instanceof LockedError || error instanceof UnwritableError || error instanceof DiskFullError;
}

function isIn(scope: ReadonlySet<string> | null, { source, session_id }: WatchedChange): boolean {
  return scope === null || scope.has(keyOfSession(source, session_id));
}
