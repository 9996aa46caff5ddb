import type { LogRecord } from "../format/record.ts";
import { createReplay, replay, type Replay } from "./replay.ts";
import type { SessionState } from "./state.ts";

/** Records that were applied one after the other, and the replay that has taken them all. */
interface Line {
  records: LogRecord[];
  replay: Replay;
}

/** A session as it was after one of its records: a value, which no later record changes. */
export class SessionPoint {
  readonly #line: Line;
  readonly #length: number;
  #state: SessionState | null = null;

  private constructor(line: Line) {
    this.#line = line;
    this.#length = line.records.length;
  }

  /** Made when it is first asked for: at once where nothing was applied since, from the records again where something was. */
  get state(): SessionState {
    this.#state ??= this.#isNewest() ? this.#line.replay.state() : replay(this.#before());
    return this.#state;
  }

  static after(before: SessionPoint | null, record: LogRecord): SessionPoint {
    const line = before !== null && before.#isNewest() ? before.#line : lineOf(before === null ? [] : before.#before());
    line.replay.push(record);
    line.records.push(record);
    return new SessionPoint(line);
  }

  #isNewest(): boolean {
    return this.#length === this.#line.records.length;
  }

  #before(): LogRecord[] {
    return this.#line.records.slice(0, this.#length);
  }
}

/**
 * The session after one more record; null stands for one without any. Pure: what it is given stays as it was and may be
 * asked, or applied to, again. Points share what they have in common: going on from the newest costs what the record costs, going
 * on from an older one what all records before it do. Records are held, and must not be changed.
 */
export function apply(before: SessionPoint | null, record: LogRecord): SessionPoint {
  return SessionPoint.after(before, record);
}

function lineOf(records: LogRecord[]): Line {
  const taken = createReplay();
  for (const record of records) taken.push(record);
  return { records, replay: taken };
}
