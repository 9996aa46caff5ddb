import type { Entry } from "../sources/contract.ts";
import type { FileDraft } from "./model.ts";

/** As it is kept at rest. */
export interface SavedClock {
  times: [first: number | null, last: number | null, previous: number | null, newest: number | null];
  counts: [untimed: number, backwards: number, lines: number];
  before: number | null;
}

/** When the records of one file were written, and how many there are. */
export class FileClock {
  /** Of what happened here: copied records have another session's times. */
  #first: number | null = null;
  #last: number | null = null;
  #previous: number | null = null;
  /** Of all records, copied ones too: which are copies depends on who else is read. */
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

  /** The newest time of what happened here. */
  get last(): number | null {
    return this.#last;
  }

  /** The newest time met. */
  get newest(): number | null {
    return this.#newest;
  }

  get summary(): Pick<FileDraft, "first_time" | "last_time" | "untimed" | "backwards" | "lines" | "last_line"> {
    return {
      ...{ first_time: this.#first, last_time: this.#last },
      ...{ untimed: this.#untimed, backwards: this.#backwards },
      ...{ lines: this.#lines - (this.#before ?? 0), last_line: this.#lines },
    };
  }

  /** `within`: the session stands inside a larger file, and begins where it begins; whole files begin at line 1, or lines are missing. */
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
