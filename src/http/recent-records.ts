import type { Daybook } from "../daybook.ts";
import type { LogRecord } from "../format/record.ts";

/** So many records are kept at most: somebody who reads one session asks for it piece by piece. */
const MOST = 60_000;

/** The records of the sessions asked for last, until anything about them changes. */
export class RecentRecords {
  readonly #daybook: Daybook;
  readonly #recent = new Map<string, { state: number; records: LogRecord[] }>();

  constructor(daybook: Daybook) {
    this.#daybook = daybook;
  }

  async of(source: string, session: string): Promise<readonly LogRecord[]> {
    const name = `${source}/${session}`;
    const state = await this.#daybook.changeOf({ source, session_id: session });
    const recent = this.#recent.get(name);
    this.#recent.delete(name);
    const records = recent && recent.state === state ? recent.records : await this.#read(name);
    if (state !== null) this.#recent.set(name, { state, records });
    this.#forget();
    return records;
  }

  async #read(name: string): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    for await (const record of this.#daybook.records(name)) records.push(record);
    return records;
  }

  /** The one that was just asked for stays, however long it is. */
  #forget(): void {
    let sum = 0;
    for (const [name, { records }] of [...this.#recent].toReversed()) {
      sum += records.length;
      if (sum > MOST && sum > records.length) this.#recent.delete(name);
    }
  }
}
