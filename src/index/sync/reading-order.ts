import { sessionIdOf } from "../../book/reading/read-file.ts";
import type { FileTimeCache } from "../../book/reading/file-times.ts";
import type { FileTimes, SourceRef } from "../../agents/contract.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { keyOfSession } from "../../record/session-key.ts";

/** What must be read before a question can be answered, when much is new. */
export interface ReadDemand {
  /** Bytes: if less is new, all of it is read. */
  least: number;
  /**
   * Everything from this time on must be read, in epoch ms. Called again after every round, because it may depend on
   * what was read. `newest`: end of the newest unread file.
   */
  start: (store: IndexStore, newest: number) => number;
  /** Files that begin later are not needed; null: all are. */
  end: number | null;
}

/** What can be answered already while the rest is being read. */
export interface ReadableDays {
  /** Days (by last change of their files) that are read, and their total number. */
  days: number;
  of: number;
  /** The first day from which on everything is read; null while there is none. */
  since: string | null;
}

interface Waiting<T> {
  task: T;
  times: FileTimes;
}

/** Files to read, newest first, because people ask about today. */
export class ReadingOrder<T extends { job: { ref: SourceRef; bytes: number } }> {
  readonly bytes: number;
  #waiting: Waiting<T>[];
  readonly #days: readonly string[];
  readonly #dayOf: (time: number) => string;
  /** With the ends of their times, newest first. */
  readonly #unread = new Map<T, number>();

  /** `times`: null when little is new. Then order does not matter, and looking into every file would take longer. */
  constructor(tasks: readonly T[], dayOf: (time: number) => string, times: FileTimeCache | null) {
    this.bytes = tasks.reduce((sum, { job }) => sum + job.bytes, 0);
    this.#waiting = tasks
      .map((task) => ({ task, times: times?.of(task.job.ref) ?? { first: -Infinity, last: task.job.ref.mtimeMs } }))
      .toSorted((a, b) => b.times.last - a.times.last);
    for (const {
      task,
      times: { last },
    } of this.#waiting)
      this.#unread.set(task, last);
    this.#dayOf = dayOf;
    this.#days = times ? [...new Set(this.#waiting.map(({ times: { last } }) => dayOf(last)))] : [];
  }

  unread(): T[] {
    return [...this.#unread.keys()];
  }

  all(): T[] {
    return this.#take(() => true);
  }

  /** The next files that are needed; empty when enough is read. */
  needed(need: ReadDemand, store: IndexStore): T[] {
    const before = this.#waiting.filter(({ times }) => need.end === null || times.first < need.end);
    const [newest] = before;
    if (!newest) return [];
    const start = need.start(store, newest.times.last);
    return this.#take(({ first, last }) => last >= start && (need.end === null || first < need.end));
  }

  /** The remaining files of sessions that were named by those already read. */
  belonging(keys: ReadonlySet<string>): T[] {
    if (keys.size === 0) return [];
    const isNamed = ({ job: { ref } }: T): boolean => keys.has(keyOfSession(ref.source, sessionIdOf(ref)));
    return this.#take((_, task) => isNamed(task));
  }

  /** Marks a file as read. */
  done(task: T): void {
    this.#unread.delete(task);
  }

  /** Null when too little is new to report it. */
  readable(): ReadableDays | null {
    if (this.#days.length === 0) return null;
    const newest = this.#unread.values().next();
    if (newest.done === true)
      return { days: this.#days.length, of: this.#days.length, since: this.#days.at(-1) ?? null };
    const open = this.#dayOf(newest.value);
    const days = this.#days.indexOf(open);
    return { days, of: this.#days.length, since: this.#days[days - 1] ?? null };
  }

  #take(isMeant: (times: FileTimes, task: T) => boolean): T[] {
    const taken: T[] = [];
    this.#waiting = this.#waiting.filter(({ task, times }) => {
      if (!isMeant(times, task)) return true;
      taken.push(task);
      return false;
    });
    return taken;
  }
}
