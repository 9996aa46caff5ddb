import type { Asked } from "../decisions/model.ts";
import { cache, cachedAnswer, cachedFacts } from "../store/tables/fact-cache.ts";
import type { IndexStore } from "../store/tables/index-store.ts";
import { factsInRecords, type StoredFacts } from "../report/record-facts.ts";
import type { SessionFacts } from "../report/model.ts";
import type { AnswerRows } from "../answers/rows.ts";
import type { SessionView } from "../answers/session-view.ts";
import { parseRow } from "../store/tables/damaged-index.ts";

const NOTHING: StoredFacts = { turns: [], asked: [] };

/** Called with a session that cannot be read; throws what is no matter of one session. */
export type Failed = (session: SessionView, error: unknown) => void;

/**
 * What a question finds out beyond the rows of the index, and what earlier ones found out: facts of sessions, read from their
 * records in one pass, and whole answers. Without an index nothing is known and nothing kept.
 */
export class RecordFacts {
  readonly #store: IndexStore | null;
  readonly #failed: Failed;
  readonly #facts = new Map<string, string>();
  readonly #answers = new Map<string, string>();
  /** A session could not be read: the answer is not cached, so that it is said the next time as well. */
  isPartial = false;
  /** The index as it was when the question came. */
  readonly #version: number;

  constructor(store: IndexStore | null, failed: Failed) {
    this.#store = store;
    this.#failed = failed;
    this.#version = store?.version() ?? 0;
  }

  of(key: string, rows: AnswerRows): SessionFacts & { asked: Asked[] } {
    const known = this.#store && cachedFacts(this.#store, key);
    const session = rows.session(key);
    const facts = known ? (parseRow(known) as StoredFacts) : session ? this.#read(key, session, rows) : NOTHING;
    if (!known && facts !== NOTHING) this.#facts.set(key, JSON.stringify(facts));
    // A project may get another name while its sessions stay as they are.
    const project = session?.project ?? "";
    const asked = facts.asked.map((one) => ({ ...one, decision: { ...one.decision, project } }));
    const counted = facts.counted ? new Map(facts.counted) : null;
    return { turns: new Map(facts.turns), decisions: asked.map(({ decision }) => decision), asked, counted };
  }

  /** Records that cannot be read a second time give nothing; all other sessions are answered. */
  #read(key: string, session: SessionView, rows: AnswerRows): StoredFacts {
    try {
      const recorded = rows.recorded(key);
      return recorded ? factsInRecords(recorded, session.project) : NOTHING;
    } catch (error) {
      this.#failed(session, error);
      return NOTHING;
    }
  }

  /** The answer given to the same question before, when nothing changed since; else the one `find` finds now. */
  async answer<T>(question: () => string, find: () => Promise<T>): Promise<T> {
    const asked = this.#store && question();
    const known = this.#store && asked && cachedAnswer(this.#store, asked);
    if (known) return parseRow(known) as T;
    const answer = await find();
    if (asked && !this.isPartial) this.#answers.set(asked, JSON.stringify(answer));
    return answer;
  }

  /** For the next who asks. Writes to the index. */
  cache(): void {
    if (this.#store) cache(this.#store, { facts: this.#facts, answers: this.#answers }, this.#version);
  }
}
