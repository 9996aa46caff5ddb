import type { LogRecord } from "../../record/record.ts";
import { createReplay, replay, type Replay } from "./replay.ts";
import type { SessionState } from "./state.ts";

/** A sequence of applied records, and the replay that has received all of them. */
interface RecordSequence {
  records: LogRecord[];
  replay: Replay;
}

/** A session's state after one of its records: an immutable value. */
export class ReplayPoint {
  readonly #line: RecordSequence;
  readonly #length: number;
  #state: SessionState | null = null;

  private constructor(line: RecordSequence) {
    this.#line = line;
    this.#length = line.records.length;
  }

  /** Computed lazily: directly if no record was applied since, otherwise by replaying the records up to this point. */
  get state(): SessionState {
    this.#state ??= this.#isNewest() ? this.#line.replay.state() : replay(this.#before());
    return this.#state;
  }

  static after(before: ReplayPoint | null, record: LogRecord): ReplayPoint {
    const line =
      before !== null && before.#isNewest() ? before.#line : replayAll(before === null ? [] : before.#before());
    line.replay.push(record);
    line.records.push(record);
    return new ReplayPoint(line);
  }

  #isNewest(): boolean {
    return this.#length === this.#line.records.length;
  }

  #before(): LogRecord[] {
    return this.#line.records.slice(0, this.#length);
  }
}

/**
 * The session after one more record; `before` is null for the first. Pure: the given point stays valid and can be
 * queried, or applied to, again. Points share their records: continuing from the newest point costs only the new
 * record, continuing from an older one costs a replay of all records before it. Records are kept by reference and must
 * not be modified.
 */
export function apply(before: ReplayPoint | null, record: LogRecord): ReplayPoint {
  return ReplayPoint.after(before, record);
}

function replayAll(records: LogRecord[]): RecordSequence {
  const taken = createReplay();
  for (const record of records) taken.push(record);
  return { records, replay: taken };
}
