import type { Asked } from "../turns/decisions/model.ts";
import { storeInCache, cachedAnswer, cachedFacts } from "../index/tables/fact-cache.ts";
import type { IndexStore } from "../index/tables/index-store.ts";
import { factsInRecords, type StoredFacts } from "../views/facts/record-facts.ts";
import type { FoundFacts } from "./report/model.ts";
import type { AnswerRows } from "../views/rows.ts";
import type { SessionView } from "../views/session-view.ts";
import { parseRow } from "../index/tables/damaged-index.ts";

const NOTHING: StoredFacts = { turns: [], asked: [] };

/** Called with a session that cannot be read; rethrows errors that do not concern this one session. */
export type Failed = (session: SessionView, error: unknown) => void;

/**
 * Facts read from the records of sessions in one pass, and whole answers, with a cache of both in the index.
 */
export class RecordFacts {
  readonly #store: IndexStore;
  readonly #failed: Failed;
  readonly #facts = new Map<string, string>();
  readonly #answers = new Map<string, string>();
  /** A session could not be read: the answer is not cached, so that the problem is reported again next time. */
  isPartial = false;
  /** Version of the index when the question was asked. */
  readonly #version: number;

  constructor(store: IndexStore, failed: Failed) {
    this.#store = store;
    this.#failed = failed;
    this.#version = store.version();
  }

  of(key: string, rows: AnswerRows): FoundFacts & { asked: Asked[] } {
    const known = cachedFacts(this.#store, key);
    const session = rows.session(key);
    const facts = known ? (parseRow(known) as StoredFacts) : session ? this.#read(key, session, rows) : NOTHING;
    if (!known && facts !== NOTHING) this.#facts.set(key, JSON.stringify(facts));
    // A project may be renamed while its sessions stay unchanged.
    const project = session?.project ?? "";
    const asked = facts.asked.map((one) => ({ ...one, decision: { ...one.decision, project } }));
    const counted = facts.counted ? new Map(facts.counted) : null;
    return { turns: new Map(facts.turns), decisions: asked.map(({ decision }) => decision), asked, counted };
  }

  /** If the records cannot be read, this session has no facts; all others are still answered. */
  #read(key: string, session: SessionView, rows: AnswerRows): StoredFacts {
    try {
      const recorded = rows.recordedSession(key);
      return recorded ? factsInRecords(recorded, session.project) : NOTHING;
    } catch (error) {
      this.#failed(session, error);
      return NOTHING;
    }
  }

  /** The cached answer to the same question if nothing changed since, otherwise the result of `find`. */
  async answer<T>(question: () => string, find: () => Promise<T>): Promise<T> {
    const asked = question();
    const known = cachedAnswer(this.#store, asked);
    if (known) return parseRow(known) as T;
    const answer = await find();
    if (!this.isPartial) this.#answers.set(asked, JSON.stringify(answer));
    return answer;
  }

  /** Stores what was found for later questions. Writes to the index. */
  cache(): void {
    storeInCache(this.#store, { facts: this.#facts, answers: this.#answers }, this.#version);
  }
}
