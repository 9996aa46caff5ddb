import type { Entry } from "../agents/contract.ts";
import type { FileDraft } from "./model.ts";

/** The saved state of a `FileClock`. */
export interface SavedClock {
  times: [first: number | null, last: number | null, previous: number | null, newest: number | null];
  counts: [untimed: number, backwards: number, lines: number];
  before: number | null;
}

/** Tracks when the records of one file were written, and how many there are. */
export class FileClock {
  /** Without copied records, which carry the times of another session. */
  #first: number | null = null;
  #last: number | null = null;
  #previous: number | null = null;
  /** Including copied records: which records are copies depends on the other files that are read. */
  #newest: number | null = null;
  #untimed = 0;
  #backwards = 0;
  #lines = 0;
  #before: number | null = null;

  constructor(saved?: SavedClock) {
    if (!saved) return;
    [this.#first, this.#last, this.#previous, this.#newest] = saved.times;
    [this.#untimed, this.#backwards, this.#lines] = saved.counts;
    this.#before = saved.before;
  }

  save(): SavedClock {
    return {
      times: [this.#first, this.#last, this.#previous, this.#newest],
      counts: [this.#untimed, this.#backwards, this.#lines],
      before: this.#before,
    };
  }

  /** The newest time among the session's own records. */
  get last(): number | null {
    return this.#last;
  }

  /** The newest time of any record. */
  get newest(): number | null {
    return this.#newest;
  }

  get summary(): Pick<FileDraft, "first_time" | "last_time" | "untimed" | "backwards" | "lines" | "last_line"> {
    return {
      first_time: this.#first,
      last_time: this.#last,
      untimed: this.#untimed,
      backwards: this.#backwards,
      lines: this.#lines - (this.#before ?? 0),
      last_line: this.#lines,
    };
  }

  /**
   * `within`: the session is part of a larger file, and counting starts at its first entry. A whole file starts at
   * line 1; if its first entry comes later, lines are missing.
   */
  take(entry: Entry, within: boolean): void {
    this.#before ??= within ? entry.line - 1 : 0;
    this.#lines = entry.line;
    if (entry.class === "corrupt") return;
    if (entry.time === null) {
      this.#untimed++;
      return;
    }
    if (this.#previous !== null && entry.time < this.#previous) this.#backwards++;
    this.#previous = entry.time;
    if (this.#newest === null || entry.time > this.#newest) this.#newest = entry.time;
    if (entry.class === "inherited") return;
    if (this.#first === null || entry.time < this.#first) this.#first = entry.time;
    if (this.#last === null || entry.time > this.#last) this.#last = entry.time;
  }
}
