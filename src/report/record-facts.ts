import { decisionsOf } from "../decisions/decisions.ts";
import type { Asked } from "../decisions/model.ts";
import { logRecords } from "../reading/records.ts";
import type { Session } from "../turns/session.ts";
import { FactsCollector, type TurnFacts } from "./facts.ts";

/** What a session's records tell a report, as it is kept in the index. */
export interface StoredFacts {
  turns: [ref: string, facts: TurnFacts][];
  asked: Asked[];
}

/** Reads them in one pass, for both that need them. */
export function factsInRecords(session: Session, project: string): StoredFacts {
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
