import { sessionIdOf } from "../../reading/read-file.ts";
import type { KnownTimes } from "../../reading/file-times.ts";
import type { FileTimes, SourceRef } from "../../sources/contract.ts";
import type { IndexStore } from "../tables/index-store.ts";

/** What a question must have read before it can be answered, where much is new. */
export interface Need {
  /** Bytes: where less is new, all of it is read. */
  least: number;
  /**
   * From when on everything must be read, in epoch ms. Asked again after every round, because it may depend on what was read.
   * `newest`: when the newest file that was not read ends.
   */
  start: (store: IndexStore, newest: number) => number;
  /** Files that begin later are not needed; null: all are. */
  end: number | null;
}

/** What can be answered already while the rest is read. */
export interface Readable {
  /** Days on which a file was written last, of all that are to be read. */
  days: number;
  of: number;
  /** The first day from which on everything is read; null while none is. */
  since: string | null;
}

interface Waiting<T> {
  task: T;
  times: FileTimes;
}

/** Files that are to be read, the newest first: people ask about today. */
export class ReadingOrder<T extends { job: { ref: SourceRef; bytes: number } }> {
  readonly bytes: number;
  #waiting: Waiting<T>[];
  readonly #days: readonly string[];
  readonly #dayOf: (time: number) => string;
  /** By the ends of their times, the newest first. */
  readonly #unread = new Map<T, number>();

  /** `times`: null where few bytes are new. Then the order is nobody's concern, and to look into every file would take longer. */
  constructor(tasks: readonly T[], dayOf: (time: number) => string, times: KnownTimes | null) {
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

  /** The next that are needed; none when enough is read. */
  needed(need: Need, store: IndexStore): T[] {
    const before = this.#waiting.filter(({ times }) => need.end === null || times.first < need.end);
    const [newest] = before;
    if (!newest) return [];
    const start = need.start(store, newest.times.last);
    return this.#take(({ first, last }) => last >= start && (need.end === null || first < need.end));
  }

  /** Those among the rest that belong to sessions named by what was read. */
  belonging(keys: ReadonlySet<string>): T[] {
    if (keys.size === 0) return [];
    const isNamed = ({ job: { ref } }: T): boolean => keys.has(`${ref.source}/${sessionIdOf(ref)}`);
    return this.#take((_, task) => isNamed(task));
  }

  /** Says that one is read. */
  done(task: T): void {
    this.#unread.delete(task);
  }

  /** Null where nobody waits long enough to see it. */
  readable(): Readable | null {
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
