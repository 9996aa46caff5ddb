import { decisionsOf } from "../decisions/decisions.ts";
import type { Asked } from "../decisions/model.ts";
import { keepFacts, keptFacts } from "../index/facts.ts";
import type { IndexStore } from "../index/store.ts";
import { logRecords } from "../reading/records.ts";
import { FactsCollector, type TurnFacts } from "../report/facts.ts";
import type { SessionFacts } from "../report/model.ts";
import { sessionKey, type Session } from "../turns/session.ts";

/** As it is kept in the index. */
interface KeptFacts {
  turns: [ref: string, facts: TurnFacts][];
  asked: Asked[];
}

/** What the records of sessions say beyond their turns: read in one pass, and kept in the index for the next time. */
export class ToldFacts {
  readonly #store: IndexStore | null;
  readonly #nameOf: (session: Session) => string;
  readonly #fresh = new Map<string, string>();
  /** The index as it was when the sessions were put together. */
  readonly #version: number;

  constructor(store: IndexStore | null, nameOf: (session: Session) => string) {
    this.#store = store;
    this.#nameOf = nameOf;
    this.#version = store?.version() ?? 0;
  }

  of(session: Session): SessionFacts & { asked: Asked[] } {
    const key = sessionKey(session);
    const project = this.#nameOf(session);
    const kept = this.#store && keptFacts(this.#store, key);
    const facts = kept ? (JSON.parse(kept) as KeptFacts) : read(session, project);
    if (!kept) this.#fresh.set(key, JSON.stringify(facts));
    // A project may get another name while its sessions stay as they are.
    const asked = facts.asked.map((one) => ({ ...one, decision: { ...one.decision, project } }));
    return { turns: new Map(facts.turns), decisions: asked.map(({ decision }) => decision), asked };
  }

  keep(): void {
    if (this.#store) keepFacts(this.#store, this.#fresh, this.#version);
  }
}

function read(session: Session, project: string): KeptFacts {
  const { source, session_id, meta } = session;
  const collector = new FactsCollector();
  const asked = decisionsOf(
    tapped(logRecords(session), (record) => collector.take(record)),
    { source, session_id, project, cwd: meta.cwd, kind: meta.kind },
  );
  return { turns: [...collector.finish()], asked };
}

function* tapped<T>(items: Iterable<T>, look: (item: T) => void): Generator<T, void, undefined> {
  for (const item of items) {
    look(item);
    yield item;
  }
}
