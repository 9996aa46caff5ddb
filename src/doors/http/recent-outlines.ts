import { inside, type Daybook, type RecordOutline } from "../../answers/daybook.ts";
import { keyOfSession } from "../../record/session-key.ts";

/** Outlines of at most this many lines are kept: a reader asks for one session page by page. */
const MOST = 200_000;

/** The outlines of recently requested sessions, until anything about them changes. */
export class RecentOutlines {
  readonly #daybook: Daybook;
  readonly #recent = new Map<string, { state: number; outline: RecordOutline }>();

  constructor(daybook: Daybook) {
    this.#daybook = daybook;
  }

  async of(source: string, session: string): Promise<RecordOutline> {
    const name = keyOfSession(source, session);
    const state = await inside(this.#daybook).changeOf({ source, session_id: session });
    const recent = this.#recent.get(name);
    this.#recent.delete(name);
    const outline = recent && recent.state === state ? recent.outline : await inside(this.#daybook).outline(name);
    if (state !== null) this.#recent.set(name, { state, outline });
    this.#forget();
    return outline;
  }

  /** The one just requested is kept, however long it is. */
  #forget(): void {
    let sum = 0;
    for (const [name, { outline }] of [...this.#recent].toReversed()) {
      sum += outline.entries;
      if (sum > MOST && sum > outline.entries) this.#recent.delete(name);
    }
  }
}
