import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, type DaybookError } from "../errors.ts";
import { LockedError } from "../format/write-lock.ts";
import { DiskFullError, UnwritableError } from "../io/disk.ts";
import { ChangeFeed, type SessionChange } from "../store/tables/changes.ts";
import { ONLY_SESSIONS, type GivenDemand } from "../store/tables/given-demand.ts";
import { IndexStore } from "../store/tables/index-store.ts";
import { isUnfinished } from "../store/tables/seal.ts";
import type { Need } from "../store/sync/reading-order.ts";
import type { SyncDemand, SyncReport } from "../store/sync/sync.ts";
import { changesBetween, sessionDigests, type SessionDigests } from "./given-changes.ts";
import type { DaybookOptions } from "./questions.ts";
import { Snapshot, type SnapshotOptions } from "./snapshot.ts";
import { FilesSeen, isNextLook, LivelyFiles, type Changes, type WatchOptions } from "./watch.ts";

type Given = NonNullable<DaybookOptions["given"]>;

/** What answers hold: everything, what was read before, or nothing yet, because all has to be read first. */
export type Freshness = "fresh" | "older" | "none";

/** So many times as long as it took to take all of another store, nobody looks at it. */
const RESTS = 4;

/** A sync that begins has an index soon, in ms. */
const INDEX_SOON = 50;

/** Bytes: more than these are better read in another process than while somebody waits. */
const SOME = 16_000_000;

/**
 * The moment questions are asked at. A question enters the present snapshot; a sync makes the next and puts it in its place, so
 * that whoever asks meanwhile is answered from what was there before.
 */
export class Present {
  readonly #options: SnapshotOptions;
  /** More new bytes than this are not waited for. */
  readonly #much: number;
  #at: Snapshot;
  /** The last sync that was begun: one at a time. */
  #syncing: Promise<unknown> | null = null;
  #isNoted = false;

  constructor(options: SnapshotOptions, much: number) {
    this.#options = options;
    this.#much = much;
    this.#at = new Snapshot(options);
  }

  get at(): Snapshot {
    return this.#at;
  }

  /** A sync of this instance is under way. */
  get isSyncing(): boolean {
    return this.#syncing !== null;
  }

  /** There are sessions, and nothing of them is in the book yet, or much of them is not. */
  get owesBook(): boolean {
    return this.#options.noSync !== true && !this.#isNoted && this.#at.owes(this.#much);
  }

  /** Reads what is new into the book and the index. */
  async sync(how: SyncDemand): Promise<SyncReport> {
    return this.oneAtATime(async () => {
      const next = this.#next();
      const report = await next.sync(how);
      this.#moveTo(next);
      return report;
    });
  }

  /** Syncs for at most so many ms; what takes longer goes on in another process. */
  async freshen(most: number, signal: AbortSignal | undefined): Promise<Freshness> {
    const { book } = this.#options;
    const syncing = this.#syncing ?? this.#syncChanges(signal);
    const isFresh = syncing === null || (await this.#doneWithin(syncing, most));
    if (isFresh) return "fresh";
    return book !== undefined && IndexStore.isUsable(book) ? "older" : "none";
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

  /** A sync where there is something to read; null where there is nothing. */
  #syncChanges(signal: AbortSignal | undefined): Promise<unknown> | null {
    const here = new Snapshot({ ...this.#options, inBackground: false });
    if (!here.hasChanges()) return null;
    const next = here.owes(SOME) ? new Snapshot({ ...this.#options, inBackground: true }) : here;
    return this.oneAtATime(async () => {
      await next.sync({ signal });
      this.#moveTo(next);
    });
  }

  /** Looks for changed files, reads them, and yields which sessions are different since, whoever read them. */
  async *watch(options: WatchOptions): AsyncGenerator<Changes, void, undefined> {
    const { patience, full, signal } = options;
    if (signal?.aborted === true) return;
    const { given } = this.#options;
    if (given) {
      yield* this.#watchGiven(given, options);
      return;
    }
    const [seen, lively] = [new FilesSeen(), new LivelyFiles()];
    const feed = new ChangeFeed(this.#at.openIndex()?.store ?? null);
    do {
      const isQuiet = options.all !== undefined && lively.isQuiet(Date.now(), options.all);
      const sync = isQuiet ? null : await this.#syncIfOther(seen, lively, { patience, full });
      if (this.#at.isOutdated) this.#moveTo(new Snapshot(this.#options));
      const index = this.#at.openIndex();
      const sessions = index === null ? [] : feed.take(index.store).filter((one) => isIn(index.scope, one));
      if (sync || sessions.length > 0) yield { sync, sessions };
    } while (await isNextLook(options));
  }

  /** Asks another store in which state it is, and takes all it holds when that is another. Where it cannot be asked, answers stay as they were. */
  async *#watchGiven(given: Given, options: WatchOptions): AsyncGenerator<Changes, void, undefined> {
    const { every = 1000, all = every } = options;
    let isNoted = false;
    let took = 0;
    let before = await this.#digests();
    // A long push changes the store all the time: most of it the store is left in peace.
    while (await isNextLook({ ...options, every: Math.max(all, took * RESTS) })) {
      try {
        const begun = performance.now();
        await this.#takeAgain(given);
        took = performance.now() - begun;
        isNoted = false;
      } catch (error) {
        if (!isNoted) this.#options.onNote?.(`${messageOf(error)}; answering from what was read before`);
        isNoted = true;
        continue;
      }
      if (this.#at.givenState === before.state) continue;
      const after = await this.#digests();
      yield { sync: null, sessions: changesBetween(before.sessions, after.sessions) };
      before = after;
    }
  }

  async #digests(): Promise<{ state: string | null; sessions: SessionDigests }> {
    return this.ask(async ({ givenState, index }) => ({
      ...{ state: givenState, sessions: index ? sessionDigests(index) : new Map<string, string>() },
    }));
  }

  async #takeAgain(given: Given): Promise<void> {
    const state = await given((rows) => rows.state(), { onlyState: true });
    if (this.#at.givenState === state) return;
    await this.oneAtATime(async () => {
      // Who waited for another that did the same need not.
      if (this.#at.givenState === state) return;
      const next = new Snapshot(this.#options);
      await (next.opening = next.takeGiven(given));
      this.#moveTo(next);
    });
  }

  /**
   * Another store is asked for the texts that hold words, in a moment of its own: it has far more of them than are taken for other
   * questions. Who asks this first has its sessions taken with them, and nothing else.
   */
  async askForWords<T>(
    given: Given,
    about: Pick<GivenDemand, "words" | "range">,
    answer: (at: Snapshot) => Promise<T>,
  ): Promise<T> {
    const isFirst = this.#at.isUntouched;
    const at = isFirst ? this.#at : new Snapshot(this.#options);
    at.enter();
    try {
      at.opening = at.takeGiven(given, { ...ONLY_SESSIONS, ...about });
      await at.opening.catch((error: unknown) => {
        at.opening = null;
        throw error;
      });
      at.beginReading();
      return await answer(at);
    } finally {
      at.leave();
      if (!isFirst) at.retire();
    }
  }

  async #syncIfOther(seen: FilesSeen, lively: LivelyFiles, how: SyncDemand): Promise<SyncReport | null> {
    const next = this.#next();
    // Before the files are read: what is written meanwhile is other then.
    lively.remember(next.opened(), Date.now());
    if (!seen.isOther(next.opened())) return null;
    try {
      const report = await this.oneAtATime(() => next.sync(how));
      seen.remember(next.opened());
      this.#moveTo(next);
      return report;
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      this.#options.onNote?.(`the book is being written${error.by}; trying again`);
      return null;
    }
  }

  /** A second sync of ours would find the book locked by the first. */
  async oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#syncing;
    const mine = (before ?? Promise.resolve()).then(work, work);
    this.#syncing = mine;
    try {
      return await mine;
    } finally {
      if (this.#syncing === mine) this.#syncing = null;
    }
  }

  /**
   * Answers from one moment: what is written meanwhile is for the next question. `need`: which files it must have read, where more is
   * new than can be read in a moment. `never`: it cannot be answered from the files alone any sooner. `about`: what it needs of another
   * store, where answers come from one.
   */
  async ask<T>(
    answer: (at: Snapshot) => Promise<T>,
    need?: Need,
    fromFiles: "perhaps" | "never" = "perhaps",
    about: GivenDemand = {},
  ): Promise<T> {
    const wanted = this.#options.givenWhole === true ? {} : about;
    if (this.#at.isDamaged || !this.#at.holds(wanted)) this.close();
    else if (this.#at.left && (this.#at.isOutdated || !this.#at.covers(need))) this.#lookAgain();
    else if (this.#at.isOutdated) this.#moveTo(new Snapshot(this.#options));
    const at = this.#at;
    at.enter();
    try {
      if (need || fromFiles === "never" || at.opening !== null || !this.#answersFirst(at))
        await this.#opened(at, need, wanted);
      // Another may have asked meanwhile, and needed less.
      if (!at.covers(need)) return await this.ask(answer, need, fromFiles, about);
      at.beginReading();
      return await answer(at);
    } finally {
      at.leave();
    }
  }

  /** Lets go of the index. The next question opens it again, and looks for changed files first. */
  close(): void {
    this.#lookAgain();
    if (this.#options.book !== undefined) IndexStore.release(this.#options.book);
  }

  #next(): Snapshot {
    return this.#at.isUntouched ? this.#at : new Snapshot(this.#options);
  }

  #moveTo(next: Snapshot): void {
    const before = this.#at;
    if (next === before) return;
    // What is said of sessions that were handed out needs the names the index knows.
    if (before.index) next.openIndex();
    this.#at = next;
    before.retire();
  }

  #lookAgain(): void {
    this.#at.retire();
    this.#at = new Snapshot(this.#options);
  }

  async #opened(at: Snapshot, need: Need | undefined, about: GivenDemand): Promise<void> {
    try {
      await (at.opening ??= this.#bringUpToDate(at, need, about));
    } catch (error) {
      // Whoever asks next tries again.
      at.opening = null;
      throw error;
    }
  }

  #answersFirst(at: Snapshot): boolean {
    const { answerFirst } = this.#options;
    if (answerFirst === undefined || !this.owesBook || !at.isInFiles) return false;
    const bytes = at.opened().refs.reduce((sum, ref) => sum + ref.size, 0);
    return bytes >= answerFirst.least && bytes <= answerFirst.most;
  }

  async #bringUpToDate(at: Snapshot, need: Need | undefined, about: GivenDemand): Promise<void> {
    const { given } = this.#options;
    if (given) return at.takeGiven(given, about);
    let isRefused = false;
    try {
      if (this.#options.noSync === true) await this.#mended(at);
      // One of ours that is under way will bring the next state; nobody waits for it.
      else if (this.#syncing === null && at.hasChanges())
        await this.oneAtATime(() => this.#stoppable((signal) => at.sync({ need, signal })));
    } catch (error) {
      this.#note(error);
      isRefused = true;
    }
    const index = at.openIndex();
    if (index && isRefused) at.leaveUnread(need, index.store);
    if (index?.store.isReadOnly === true) this.#note(new UnwritableError(index.store.home, null));
    if (index && this.#options.noSync === true && isUnfinished(index.store.home))
      this.#options.onNote?.("the book is partial: a sync is under way or was cut short");
  }

  /** Where there is no index: what a sync of ours will make is waited for, else it is made from the book. Both at once lock each other out. */
  async #mended(at: Snapshot): Promise<void> {
    const { book } = this.#options;
    const isThere = (): boolean => book === undefined || IndexStore.isUsable(book);
    while (this.#syncing !== null && !isThere()) await sleep(INDEX_SOON);
    if (!isThere()) await this.oneAtATime(() => at.mend());
  }

  async #stoppable<T>(work: (signal?: AbortSignal) => Promise<T>): Promise<T> {
    const { stoppable } = this.#options;
    return stoppable ? stoppable(work) : work();
  }

  /** Why the answer may lack what is new, once. Whatever else went wrong is no reason to answer. */
  #note(error: unknown): void {
    if (!isOnlyOlder(error)) throw error;
    if (this.#isNoted) return;
    this.#isNoted = true;
    const why = error instanceof LockedError ? `the book is being written${error.by}` : error.message;
    this.#options.onNote?.(`${why}; answering from what was read before`);
  }
}

/** What keeps a sync from being done, and no question from being answered. */
export function isOnlyOlder(error: unknown): error is DaybookError {
  return error instanceof LockedError || error instanceof UnwritableError || error instanceof DiskFullError;
}

function isIn(scope: ReadonlySet<string> | null, { source, session_id }: SessionChange): boolean {
  return scope === null || scope.has(`${source}/${session_id}`);
}
